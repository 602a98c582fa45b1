//! The themes of the log: which candidates resemble a lesson or each other, and which problems recur in different words.

use super::candidates::CandidateFinder;
use crate::canon::episode::Episode;
use crate::memory::lessons::{CitedLesson, LessonCandidate, MAX_CITATIONS, SimilarLesson, cited_lessons};
use crate::memory::review::{CandidateKind, QueueEntry, ReviewQueue, ReviewStatus, StagedCandidate};
use crate::memory::themes::{
    KnownKind, KnownTheme, MAX_KNOWN_TEXTS, MAX_TEXTS, Owner, ThemeCandidate, ThemeText, ThemeTriage, Themes,
    triage_themes,
};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;

/// What to do with the new candidates of a dream, and the themes it found.
#[derive(Default)]
pub struct ThemeReview {
    /// The positions of the candidates that are themes of their own.
    pub own: Vec<usize>,
    /// The positions of the candidates that resemble a lesson.
    pub alike: Vec<(usize, SimilarLesson)>,
    /// New candidates: themes of which no pattern recurs.
    pub themes: Vec<LessonCandidate>,
    /// What was not staged, because something else stands for it.
    pub covered: Vec<CoveredCandidate>,
    /// Pairs of names of candidates, new or pending, that are about one theme or oppose each other.
    pub related: Vec<(String, String)>,
    /// The episodes of the themes of pending candidates, by their names.
    pub counts: HashMap<String, usize>,
}

/// A candidate that is not staged, because a lesson or another candidate stands for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredCandidate {
    /// The text.
    pub text: String,
    /// The name of what stands for it: a candidate, or the pattern of a lesson.
    pub by: Option<String>,
    /// The text of what stands for it.
    pub like: String,
    /// What happened to it: `lesson`, `waiting`, `accepted` or `rejected`.
    pub state: &'static str,
}

/// What the candidates are compared with.
pub struct KnownMemory<'a> {
    /// The text of `LESSONS.md`.
    pub lessons: &'a str,
    /// The review queue.
    pub queue: &'a ReviewQueue,
}

impl CandidateFinder<'_> {
    /// Reviews the candidates `new`. `becomes_lesson` says which of them become lessons by themselves.
    ///
    /// # Errors
    /// The log can no longer be read.
    pub fn themes(
        &self,
        candidates: &[LessonCandidate],
        new: &[usize],
        memory: &KnownMemory<'_>,
        becomes_lesson: &[bool],
    ) -> io::Result<ThemeReview> {
        let mut corpus = Corpus::read(self)?;
        if corpus.rows.is_empty() {
            return Ok(ThemeReview { own: new.to_vec(), ..ThemeReview::default() });
        }
        let lessons = known_entries(memory);
        let added: Vec<KnownEntry> = new.iter().map(|at| KnownEntry::from_new(&candidates[*at])).collect();
        corpus.add_own_words(lessons.iter().chain(&added));
        let themes = Themes::group(&corpus.texts);
        let theme = |entry: &KnownEntry| KnownTheme {
            kind: entry.kind,
            texts: corpus.texts_or_own(entry),
            has_pending_addition: entry.has_pending_addition,
        };
        let known: Vec<KnownTheme> = lessons.iter().map(theme).collect();
        let of_new = |((at, entry), becomes_lesson): ((&usize, &KnownEntry), &bool)| {
            let (all, kept) = (corpus.texts_of(&candidates[*at].episodes), corpus.texts_or_own(entry));
            let texts = if all.is_empty() { kept.clone() } else { all };
            ThemeCandidate { texts, kept, becomes_lesson: *becomes_lesson }
        };
        let texts: Vec<ThemeCandidate> = new.iter().zip(&added).zip(becomes_lesson).map(of_new).collect();
        let is_salient = |texts: &[usize]| self.is_salient_theme(&corpus.rows_of(texts));
        let found = triage_themes(&themes, &known, &texts, self.params.policy.promotion, is_salient);
        let recurring: HashSet<&str> = candidates.iter().filter_map(|candidate| candidate.pattern.as_deref()).collect();
        let new_theme = |(typical, total): &(Vec<usize>, usize)| {
            let rows = corpus.rows_of(typical);
            // Rows of a theme can also be rows of a pattern, which has that name.
            let mut names = rows.iter().map(|row| self.decision.row_pattern_id(*row));
            let name = names.find(|name| !recurring.contains(name.as_str()))?;
            let theme = LessonCandidate {
                text: corpus.texts[*typical.first()?].reflection.clone(),
                episodes: rows.iter().map(|row| self.decision.row_id(*row)).collect(),
                total: *total,
                pattern: Some(name.clone()),
            };
            Some((theme, ThemeMember { name, texts: typical.clone(), is_new: true }))
        };
        let by_owner = |owner: Owner, text: String| match owner {
            Owner::Known(at) => lessons.get(at).map(|known| CoveredCandidate {
                text,
                by: known.similar.pattern.clone(),
                like: known.similar.text.clone(),
                state: known.state,
            }),
            Owner::Candidate(at) => {
                added.get(at).zip(becomes_lesson.get(at)).map(|(own, becomes_lesson)| CoveredCandidate {
                    text,
                    by: own.similar.pattern.clone(),
                    like: own.similar.text.clone(),
                    state: if *becomes_lesson { "lesson" } else { own.state },
                })
            }
        };
        let covered =
            found.covered.iter().filter_map(|(at, owner)| by_owner(*owner, candidates[new[*at]].text.clone()));
        let covered_themes = found
            .covered_groups
            .iter()
            .filter_map(|(text, owner)| by_owner(*owner, corpus.texts[*text].reflection.clone()));
        let mut members: Vec<ThemeMember> = Vec::new();
        for (entry, theme) in lessons.iter().zip(&known).filter(|(entry, _)| entry.kind == KnownKind::Pending) {
            members.extend(entry.similar.pattern.clone().map(|name| ThemeMember {
                name,
                texts: theme.texts.clone(),
                is_new: false,
            }));
        }
        let counts = count_episodes(&themes, &members, &found, &lessons, &texts, corpus.rows.len());
        let staged = found.own.iter().chain(found.alike.iter().map(|(at, _)| at));
        members.extend(staged.filter_map(|at| {
            let name = candidates[new[*at]].pattern.clone()?;
            Some(ThemeMember { name, texts: texts[*at].texts.clone(), is_new: true })
        }));
        let (new_themes, new_members): (Vec<LessonCandidate>, Vec<ThemeMember>) =
            found.groups.iter().filter_map(new_theme).unzip();
        members.extend(new_members);
        let alike = |(at, owner): &(usize, Owner)| {
            let similar = match *owner {
                Owner::Known(known) => lessons.get(known)?.similar.clone(),
                Owner::Candidate(own) => added.get(own)?.similar.clone(),
            };
            Some((new[*at], similar))
        };
        Ok(ThemeReview {
            own: found.own.iter().map(|at| new[*at]).collect(),
            alike: found.alike.iter().filter_map(alike).collect(),
            covered: covered.chain(covered_themes).collect(),
            related: related_members(&themes, &members),
            counts,
            themes: new_themes,
        })
    }

    /// Whether a theme of these rows is as salient as a pattern that becomes a lesson.
    fn is_salient_theme(&self, rows: &[usize]) -> bool {
        self.decision.is_salient_theme(rows, self.params)
    }
}

/// A lesson or a candidate, known or new.
struct KnownEntry {
    kind: KnownKind,
    similar: SimilarLesson,
    /// The ids of the episodes it names.
    episodes: Vec<String>,
    has_pending_addition: bool,
    state: &'static str,
}

impl KnownEntry {
    /// As the next dream reads it.
    fn from_new(candidate: &LessonCandidate) -> Self {
        Self {
            kind: KnownKind::Pending,
            similar: candidate.as_lesson(),
            episodes: candidate.episodes.iter().take(MAX_CITATIONS).cloned().collect(),
            has_pending_addition: false,
            state: "waiting",
        }
    }
}

/// The lessons in effect, and the candidates of the queue.
fn known_entries(memory: &KnownMemory<'_>) -> Vec<KnownEntry> {
    let is_addition = |entry: &QueueEntry, lesson: &SimilarLesson| {
        entry.staged.like.as_ref().is_some_and(|like| like.pattern == lesson.pattern && like.text == lesson.text)
    };
    let lesson = |lesson: CitedLesson| KnownEntry {
        kind: KnownKind::Lesson,
        has_pending_addition: memory.queue.pending().any(|entry| is_addition(entry, &lesson.lesson)),
        similar: lesson.lesson,
        episodes: lesson.episodes,
        state: "lesson",
    };
    let candidate = |entry: &QueueEntry| {
        let (kind, state) = match entry.status {
            ReviewStatus::Pending => (KnownKind::Pending, "waiting"),
            ReviewStatus::Accepted(_) => (KnownKind::Decided, "accepted"),
            ReviewStatus::Rejected(_) => (KnownKind::Decided, "rejected"),
        };
        let StagedCandidate { text, candidate, total, episodes, .. } = entry.staged.clone();
        let similar = SimilarLesson { text, pattern: Some(candidate), of: total };
        KnownEntry { kind, similar, episodes, has_pending_addition: false, state }
    };
    let queue = memory.queue.entries.iter().filter(|entry| entry.staged.kind == CandidateKind::Lesson);
    cited_lessons(memory.lessons).into_iter().map(lesson).chain(queue.map(candidate)).collect()
}

/// A candidate that waits, or is about to.
struct ThemeMember {
    name: String,
    texts: Vec<usize>,
    is_new: bool,
}

/// The pairs with a new member that are about one theme or oppose each other.
fn related_members(themes: &Themes, members: &[ThemeMember]) -> Vec<(String, String)> {
    let mut related = Vec::new();
    let group_of = |member: &ThemeMember| member.texts.first().and_then(|text| themes.group_of(*text));
    let groups: Vec<Option<usize>> = members.iter().map(group_of).collect();
    for (at, one) in members.iter().enumerate() {
        for (before, other) in members[..at].iter().enumerate() {
            let is_one_theme = groups[at].is_some() && groups[at] == groups[before];
            if (one.is_new || other.is_new) && (is_one_theme || themes.are_opposed(&one.texts, &other.texts)) {
                related.push((other.name.clone(), one.name.clone()));
            }
        }
    }
    related
}

/// The number of rows in the themes of pending candidates: those of their own texts, and of the candidates they stand for.
/// The first `rows` texts are rows.
fn count_episodes(
    themes: &Themes,
    pending: &[ThemeMember],
    found: &ThemeTriage,
    known: &[KnownEntry],
    candidates: &[ThemeCandidate],
    rows: usize,
) -> HashMap<String, usize> {
    let count = |member: &ThemeMember| {
        let stands_for = found.covered.iter().filter(|(_, owner)| match *owner {
            Owner::Known(at) => known.get(at).is_some_and(|known| known.similar.pattern.as_ref() == Some(&member.name)),
            Owner::Candidate(_) => false,
        });
        let covered = stands_for.flat_map(|(at, _)| &candidates[*at].texts);
        let groups: BTreeSet<usize> =
            member.texts.iter().chain(covered).filter_map(|text| themes.group_of(*text)).collect();
        let texts = groups.iter().flat_map(|group| &themes.groups[*group]);
        let supports = |text: &usize| *text < rows && !themes.are_opposed(&member.texts, &[*text]);
        (member.name.clone(), texts.filter(|text| supports(text)).count())
    };
    pending.iter().map(count).collect()
}

/// The texts that are compared: those of rows first, then those of lessons and candidates whose rows are not among them.
struct Corpus {
    texts: Vec<ThemeText>,
    /// The row of each of the first texts.
    rows: Vec<usize>,
    /// The text of each episode.
    by_episode: HashMap<String, usize>,
    /// The texts of entries that are compared by their own words.
    by_own_words: HashMap<String, usize>,
}

impl Corpus {
    /// The newest rows with a reflection.
    fn read(finder: &CandidateFinder<'_>) -> io::Result<Self> {
        let stays = |at: &usize| finder.decision.archived.binary_search(at).is_err();
        let rows = finder.decision.rows.iter().enumerate().rev();
        let taught = rows.filter(|(at, row)| row.outcome.has_reflection && stays(at));
        let mut rows: Vec<usize> = taught.map(|(at, _)| at).take(MAX_TEXTS).collect();
        rows.reverse();
        let mut corpus =
            Self { texts: Vec::new(), rows: Vec::new(), by_episode: HashMap::new(), by_own_words: HashMap::new() };
        if rows.is_empty() {
            return Ok(corpus);
        }
        let log = crate::fs::open(finder.log)?;
        for row in rows {
            if let Some(text) = finder.read_episode(&log, row, theme_text)? {
                corpus.by_episode.insert(finder.decision.row_id(row), corpus.texts.len());
                corpus.texts.push(text);
                corpus.rows.push(row);
            }
        }
        Ok(corpus)
    }

    /// Adds the words of the entries none of whose episodes is compared. Sorted, and for new ones too, so that the next dream
    /// compares the same texts.
    fn add_own_words<'a>(&mut self, entries: impl Iterator<Item = &'a KnownEntry>) {
        let without_rows = entries.filter(|entry| self.texts_of(&entry.episodes).is_empty());
        let words: BTreeSet<&str> = without_rows.map(|entry| entry.similar.text.as_str()).collect();
        for text in words.into_iter().take(MAX_KNOWN_TEXTS) {
            self.by_own_words.insert(text.to_owned(), self.texts.len());
            self.texts.push(ThemeText { reflection: text.to_owned(), ..ThemeText::default() });
        }
    }

    /// The texts of the episodes, or if none of them is compared, the words of the entry itself.
    fn texts_or_own(&self, entry: &KnownEntry) -> Vec<usize> {
        let texts = self.texts_of(&entry.episodes);
        if !texts.is_empty() {
            return texts;
        }
        self.by_own_words.get(&entry.similar.text).copied().into_iter().collect()
    }

    fn texts_of(&self, episodes: &[String]) -> Vec<usize> {
        let texts: BTreeSet<usize> = episodes.iter().filter_map(|id| self.by_episode.get(id).copied()).collect();
        texts.into_iter().collect()
    }

    fn rows_of(&self, texts: &[usize]) -> Vec<usize> {
        texts.iter().filter_map(|text| self.rows.get(*text).copied()).collect()
    }
}

fn theme_text(episode: &Episode<'_>) -> ThemeText {
    let text = |field: &Option<Cow<'_, str>>| field.as_deref().unwrap_or_default().to_owned();
    ThemeText { skill: text(&episode.skill), action: text(&episode.action), reflection: text(&episode.reflection) }
}
