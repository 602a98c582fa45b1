//! Which candidates are new themes, which belong to what is known, and which themes wait for review although no single pattern
//! of theirs recurs.

use super::Themes;
use std::collections::HashMap;

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
    /// The candidates that are themes of their own.
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

/// Compares candidates and groups with what is known. `candidates` are the texts of each; one without texts is a theme of its
/// own. `is_salient` decides about the texts of a group.
///
/// `promoted` says which candidates become lessons by themselves; `None` if everything waits for review. With it, a pending
/// candidate does not stand for a new one: what recurs literally is promoted although a theme that resembles it waits. A
/// candidate that becomes a lesson counts as one here, so that the next night finds nothing to add.
pub fn triage_themes(
    themes: &Themes,
    mut known: Vec<KnownTheme>,
    candidates: &[Vec<usize>],
    promoted: Option<&[bool]>,
    is_salient: impl Fn(&[usize]) -> bool,
) -> ThemeTriage {
    let count_known = known.len();
    let group_of: HashMap<usize, usize> =
        themes.groups.iter().enumerate().flat_map(|(at, group)| group.iter().map(move |text| (*text, at))).collect();
    let mut owners = Owners { themes, by_group: HashMap::new() };
    for (at, theme) in known.iter().enumerate() {
        for group in theme.texts.iter().filter_map(|text| group_of.get(text)) {
            let owner = owners.by_group.entry(*group).or_insert(at);
            // A lesson names the theme better than a candidate.
            if theme.kind == KnownKind::Lesson && known[*owner].kind != KnownKind::Lesson {
                *owner = at;
            }
        }
    }
    let mut triage = ThemeTriage::default();
    // The candidate of each theme that this triage adds to `known`.
    let mut own_of: Vec<usize> = Vec::new();
    for (at, texts) in candidates.iter().enumerate() {
        let Some(group) = texts.first().and_then(|text| group_of.get(text)).copied() else {
            triage.own.push(at);
            continue;
        };
        let is_standing = |owner: &usize| promoted.is_none() || known[*owner].kind != KnownKind::Pending;
        match owners.find(group, texts).filter(is_standing) {
            Some(position) => {
                let added = position.checked_sub(count_known);
                let owner = added.map_or(Owner::Known(position), |added| Owner::Candidate(own_of[added]));
                if known[position].kind == KnownKind::Lesson && !known[position].has_pending_addition {
                    known[position].has_pending_addition = true;
                    triage.alike.push((at, owner));
                } else {
                    triage.covered.push((at, owner));
                }
            }
            None => {
                own_of.push(at);
                triage.own.push(at);
                let becomes_lesson = promoted.is_some_and(|promoted| promoted[at]);
                let kind = if becomes_lesson { KnownKind::Lesson } else { KnownKind::Pending };
                known.push(KnownTheme { kind, texts: texts.clone(), has_pending_addition: false });
                owners.by_group.insert(group, known.len() - 1);
            }
        }
    }
    let rows: Vec<usize> = known.iter().flat_map(|theme| theme.texts.iter().copied()).collect();
    let mut groups: Vec<usize> = (0..themes.groups.len()).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(themes.groups[*group].len()));
    for group in groups {
        let texts = &themes.groups[group];
        let is_new = texts.len() >= MIN_TEXTS && !texts.iter().any(|text| rows.contains(text));
        if !is_new || !is_salient(texts) {
            continue;
        }
        let typical = themes.typical(texts);
        match owners.find(group, texts) {
            Some(owner) => {
                let candidate = owner.checked_sub(count_known).map(|added| own_of.get(added).copied());
                let owner = match candidate {
                    None => Some(Owner::Known(owner)),
                    // Another theme of this triage is shown anyway.
                    Some(candidate) => candidate.map(Owner::Candidate),
                };
                triage.covered_groups.extend(typical.first().copied().zip(owner));
            }
            None => {
                triage.groups.push((typical, texts.len()));
                known.push(KnownTheme { kind: KnownKind::Decided, texts: texts.clone(), has_pending_addition: false });
                owners.by_group.insert(group, known.len() - 1);
            }
        }
    }
    triage
}

/// The groups that belong to something known.
struct Owners<'a> {
    themes: &'a Themes,
    by_group: HashMap<usize, usize>,
}

impl Owners<'_> {
    /// The known theme of a group, or that of the nearest group. `texts` are those whose theme is sought.
    fn find(&self, group: usize, texts: &[usize]) -> Option<usize> {
        if let Some(owner) = self.by_group.get(&group) {
            return Some(*owner);
        }
        let nearest = self.themes.nearest(texts, self.by_group.keys().copied())?;
        self.by_group.get(&nearest).copied()
    }
}
