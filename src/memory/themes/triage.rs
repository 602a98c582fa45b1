//! Which candidates are new themes, which belong to what is known, and which themes wait for review although no single pattern
//! of theirs recurs.

use super::Themes;
use crate::config::Promotion;
use crate::memory::lessons::MAX_CITATIONS;
use std::collections::{HashMap, HashSet};

/// Texts that a theme needs if no pattern of it recurs literally.
const MIN_TEXTS: usize = 5;

/// What is known about a theme already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownKind {
    /// A lesson in effect.
    Lesson,
    /// A candidate that waits for review.
    Pending,
    /// A candidate that was decided on.
    Decided,
}

/// A lesson or a candidate, and the texts it consists of.
#[derive(Clone, Debug)]
pub struct KnownTheme {
    /// What it is.
    pub kind: KnownKind,
    /// The positions of its texts.
    pub texts: Vec<usize>,
    /// For a lesson: whether a candidate that resembles it waits for review.
    pub has_pending_addition: bool,
}

/// A new candidate.
#[derive(Clone, Debug)]
pub struct ThemeCandidate {
    /// The positions of its texts. Without any, it is a theme of its own.
    pub texts: Vec<usize>,
    /// The positions of those that it keeps when it is written down.
    pub kept: Vec<usize>,
    /// Whether it becomes a lesson by itself, unless it resembles one.
    pub becomes_lesson: bool,
}

/// What stands for a candidate that is not staged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The known theme at this position.
    Known(usize),
    /// The candidate at this position.
    Candidate(usize),
}

/// What a theme triage decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThemeTriage {
    /// The candidates that are themes of their own, in order.
    pub own: Vec<usize>,
    /// Candidates that resemble a lesson, or a candidate that becomes one.
    pub alike: Vec<(usize, Owner)>,
    /// The texts of new themes, the most typical first, with the number of all their texts.
    pub groups: Vec<(Vec<usize>, usize)>,
    /// The candidates that are not staged, each with what stands for it.
    pub covered: Vec<(usize, Owner)>,
    /// The most typical text of each theme that is not staged, with what stands for it.
    pub covered_groups: Vec<(usize, Owner)>,
}

/// Compares candidates and groups with what is known, and with one another. `is_salient` decides about the texts of a group.
///
/// If candidates become lessons by themselves, a pending candidate does not stand for a new one: what recurs literally is
/// promoted although a theme that resembles it waits.
pub fn triage_themes(
    themes: &Themes,
    known: &[KnownTheme],
    candidates: &[ThemeCandidate],
    promotion: Promotion,
    is_salient: impl Fn(&[usize]) -> bool,
) -> ThemeTriage {
    let mut night = Night::new(themes, known, candidates, promotion);
    // What a pass adds can be nearer to a candidate than what stood for it. After a pass that adds nothing, the next night,
    // which begins with everything that was added, adds nothing either.
    while night.place_candidates() | night.place_groups(&is_salient) {}
    night.into_triage()
}

/// Where a theme comes from. What becomes a lesson is sorted before what waits, as the next night reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Lesson(usize),
    NewLesson(usize),
    Queue(usize),
    Own(usize),
    Group(usize),
    Alike(usize),
}

impl Source {
    /// `None` for a group: it is shown anyway.
    fn owner(self) -> Option<Owner> {
        match self {
            Self::Lesson(at) | Self::Queue(at) => Some(Owner::Known(at)),
            Self::NewLesson(at) | Self::Own(at) | Self::Alike(at) => Some(Owner::Candidate(at)),
            Self::Group(_) => None,
        }
    }
}

/// A triage at work.
struct Night<'a> {
    themes: &'a Themes,
    candidates: &'a [ThemeCandidate],
    promotion: Promotion,
    group_of: HashMap<usize, usize>,
    /// What is known and what was added, by source.
    known: Vec<(Source, KnownTheme)>,
    /// For each candidate, whether it was added.
    is_added: Vec<bool>,
    triage: ThemeTriage,
}

impl<'a> Night<'a> {
    fn new(themes: &'a Themes, known: &[KnownTheme], candidates: &'a [ThemeCandidate], promotion: Promotion) -> Self {
        let groups = themes.groups.iter().enumerate();
        let source = |at: usize, theme: &KnownTheme| match theme.kind {
            KnownKind::Lesson => Source::Lesson(at),
            KnownKind::Pending | KnownKind::Decided => Source::Queue(at),
        };
        let mut known: Vec<(Source, KnownTheme)> =
            known.iter().enumerate().map(|(at, theme)| (source(at, theme), theme.clone())).collect();
        known.sort_by_key(|(source, _)| *source);
        Self {
            themes,
            candidates,
            promotion,
            group_of: groups.flat_map(|(at, group)| group.iter().map(move |text| (*text, at))).collect(),
            known,
            is_added: vec![false; candidates.len()],
            triage: ThemeTriage::default(),
        }
    }

    fn add(&mut self, source: Source, kind: KnownKind, texts: &[usize]) {
        let at = self.known.partition_point(|(other, _)| *other < source);
        let theme = KnownTheme { kind, texts: texts.to_vec(), has_pending_addition: false };
        self.known.insert(at, (source, theme));
    }

    /// Compares the candidates that were not added with what is known. Returns whether any was added now.
    fn place_candidates(&mut self) -> bool {
        let (themes, candidates) = (self.themes, self.candidates);
        self.triage.covered.clear();
        let mut owners = self.standing_owners();
        let mut has_added = false;
        for (at, candidate) in candidates.iter().enumerate().filter(|(at, _)| !self.is_added[*at]).collect::<Vec<_>>() {
            let group = candidate.texts.first().and_then(|text| self.group_of.get(text)).copied();
            let owner = group.and_then(|group| find_owner(themes, &owners, group, &candidate.texts));
            // A contrary is no support.
            let owner = owner.filter(|owner| !themes.are_opposed(&candidate.texts, &self.known[*owner].1.texts));
            let owner = owner.map(|owner| &mut self.known[owner]);
            match owner {
                Some((source, theme)) => {
                    let Some(owner) = source.owner() else { continue };
                    if theme.kind != KnownKind::Lesson || theme.has_pending_addition {
                        self.triage.covered.push((at, owner));
                        continue;
                    }
                    theme.has_pending_addition = true;
                    self.triage.alike.push((at, owner));
                    self.add(Source::Alike(at), KnownKind::Pending, &candidate.kept);
                }
                None => {
                    self.triage.own.push(at);
                    match candidate.becomes_lesson {
                        true => self.add(Source::NewLesson(at), KnownKind::Lesson, &candidate.kept),
                        false => self.add(Source::Own(at), KnownKind::Pending, &candidate.kept),
                    }
                }
            }
            self.is_added[at] = true;
            has_added = true;
            owners = self.standing_owners();
        }
        has_added
    }

    /// Compares the groups without a known text with what is known. Returns whether any was added.
    fn place_groups(&mut self, is_salient: impl Fn(&[usize]) -> bool) -> bool {
        let themes = self.themes;
        self.triage.covered_groups.clear();
        let mut known: HashSet<usize> = self.known.iter().flat_map(|(_, theme)| theme.texts.iter().copied()).collect();
        let mut owners = self.owners(|_| true);
        let mut groups: Vec<usize> = (0..themes.groups.len()).collect();
        groups.sort_by_key(|group| std::cmp::Reverse(themes.groups[*group].len()));
        let mut has_added = false;
        for group in groups {
            let texts = &themes.groups[group];
            let is_new = texts.len() >= MIN_TEXTS && !texts.iter().any(|text| known.contains(text));
            if !is_new || !is_salient(texts) {
                continue;
            }
            let typical = themes.typical(texts);
            if let Some(owner) = find_owner(themes, &owners, group, texts) {
                let owner = self.known[owner].0.owner();
                self.triage.covered_groups.extend(typical.first().copied().zip(owner));
                continue;
            }
            let kept = &typical[..typical.len().min(MAX_CITATIONS)];
            self.add(Source::Group(self.triage.groups.len()), KnownKind::Pending, kept);
            known.extend(kept);
            self.triage.groups.push((typical, texts.len()));
            has_added = true;
            owners = self.owners(|_| true);
        }
        has_added
    }

    /// The owners that can stand for a candidate.
    fn standing_owners(&self) -> HashMap<usize, usize> {
        let is_review = self.promotion == Promotion::Review;
        self.owners(|kind| is_review || kind != KnownKind::Pending)
    }

    /// The first theme of each group, of these kinds: a lesson names a theme better than a candidate.
    fn owners(&self, has_kind: impl Fn(KnownKind) -> bool) -> HashMap<usize, usize> {
        let mut owners = HashMap::new();
        for (at, (_, theme)) in self.known.iter().enumerate().filter(|(_, (_, theme))| has_kind(theme.kind)) {
            for group in theme.texts.iter().filter_map(|text| self.group_of.get(text)) {
                owners.entry(*group).or_insert(at);
            }
        }
        owners
    }

    fn into_triage(mut self) -> ThemeTriage {
        self.triage.own.sort_unstable();
        self.triage
    }
}

/// The owner of a group, or that of the nearest group. `texts` are those whose theme is sought.
fn find_owner(themes: &Themes, owners: &HashMap<usize, usize>, group: usize, texts: &[usize]) -> Option<usize> {
    let known = owners.get(&group).copied();
    known.or_else(|| owners.get(&themes.nearest(texts, owners.keys().copied())?).copied())
}
