//! The themes of the log: which candidates resemble a lesson or each other, and which problems recur in different words.

use super::candidates::CandidateFinder;
use crate::canon::episode::Episode;
use crate::memory::lessons::{LessonCandidate, SimilarLesson, cited_lessons};
use crate::memory::review::{CandidateKind, QueueEntry, ReviewQueue, ReviewStatus};
use crate::memory::themes::{
    KnownKind, KnownTheme, MAX_KNOWN_TEXTS, MAX_TEXTS, Owner, ThemeText, ThemeTriage, Themes, triage_themes,
};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
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
    /// Reviews the candidates `new`. `promoted` says which of them become lessons by themselves; `None` if all wait.
    ///
    /// # Errors
    /// The log can no longer be read.
    pub fn themes(
        &self,
        candidates: &[LessonCandidate],
        new: &[usize],
        memory: &KnownMemory<'_>,
        promoted: Option<&[bool]>,
    ) -> io::Result<ThemeReview> {
        let mut corpus = Corpus::read(self)?;
        if corpus.rows.is_empty() {
            return Ok(ThemeReview { own: new.to_vec(), ..ThemeReview::default() });
        }
        let (known, lessons) = corpus.add_known(memory);
        let themes = Themes::group(&corpus.texts);
        let texts: Vec<Vec<usize>> = new.iter().map(|at| corpus.texts_of(&candidates[*at].episodes)).collect();
        let is_salient = |texts: &[usize]| self.is_salient_theme(&corpus.rows_of(texts));
        let known_texts: Vec<Vec<usize>> = known.iter().map(|theme| theme.texts.clone()).collect();
        let found = triage_themes(&themes, known, &texts, promoted, is_salient);
        let theme = |(typical, total): &(Vec<usize>, usize)| {
            let rows = corpus.rows_of(typical);
            let first = *rows.first()?;
            Some(LessonCandidate {
                text: corpus.texts[*typical.first()?].reflection.clone(),
                episodes: rows.iter().map(|row| self.decision.row_id(*row)).collect(),
                total: *total,
                pattern: Some(self.decision.row_pattern_id(first)),
            })
        };
        let by_owner = |owner: Owner, text: String| match owner {
            Owner::Known(at) => lessons.get(at).map(|known| CoveredCandidate {
                text,
                by: known.similar.pattern.clone(),
                like: known.similar.text.clone(),
                state: known.state,
            }),
            Owner::Candidate(at) => new.get(at).and_then(|at| candidates.get(*at)).map(|own| CoveredCandidate {
                text,
                by: own.pattern.clone(),
                like: own.text.clone(),
                state: "waiting",
            }),
        };
        let covered =
            found.covered.iter().filter_map(|(at, owner)| by_owner(*owner, candidates[new[*at]].text.clone()));
        let covered_themes = found
            .covered_groups
            .iter()
            .filter_map(|(text, owner)| by_owner(*owner, corpus.texts[*text].reflection.clone()));
        let mut members: Vec<ThemeMember> = Vec::new();
        for (known, texts) in lessons.iter().zip(&known_texts).filter(|(known, _)| known.state == "waiting") {
            members.extend(known.similar.pattern.clone().map(|name| ThemeMember {
                name,
                texts: texts.clone(),
                is_new: false,
            }));
        }
        let counts = count_episodes(&themes, &members, &found, &lessons, &texts, corpus.rows.len());
        let staged = found.own.iter().chain(found.alike.iter().map(|(at, _)| at));
        members.extend(staged.filter_map(|at| {
            let name = candidates[new[*at]].pattern.clone()?;
            Some(ThemeMember { name, texts: texts[*at].clone(), is_new: true })
        }));
        let new_themes: Vec<LessonCandidate> = found.groups.iter().filter_map(theme).collect();
        members.extend(new_themes.iter().zip(&found.groups).filter_map(|(theme, (typical, _))| {
            Some(ThemeMember { name: theme.pattern.clone()?, texts: typical.clone(), is_new: true })
        }));
        let alike = |(at, owner): &(usize, Owner)| {
            let similar = match *owner {
                Owner::Known(known) => lessons.get(known)?.similar.clone(),
                Owner::Candidate(own) => candidates[new[own]].as_lesson(),
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

/// A lesson or a candidate that the new candidates are compared with.
struct KnownEntry {
    similar: SimilarLesson,
    state: &'static str,
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
    candidates: &[Vec<usize>],
    rows: usize,
) -> HashMap<String, usize> {
    let count = |member: &ThemeMember| {
        let stands_for = found.covered.iter().filter(|(_, owner)| match *owner {
            Owner::Known(at) => known.get(at).is_some_and(|known| known.similar.pattern.as_ref() == Some(&member.name)),
            Owner::Candidate(_) => false,
        });
        let covered = stands_for.flat_map(|(at, _)| &candidates[*at]);
        let groups: BTreeSet<usize> =
            member.texts.iter().chain(covered).filter_map(|text| themes.group_of(*text)).collect();
        let texts = groups.iter().flat_map(|group| &themes.groups[*group]);
        (member.name.clone(), texts.filter(|text| **text < rows).count())
    };
    pending.iter().map(count).collect()
}

/// The texts that are compared: those of rows first, then those of lessons and candidates whose rows have left the log.
struct Corpus {
    texts: Vec<ThemeText>,
    /// The row of each of the first texts.
    rows: Vec<usize>,
    /// The text of each episode.
    by_episode: HashMap<String, usize>,
}

impl Corpus {
    /// The newest rows with a reflection.
    fn read(finder: &CandidateFinder<'_>) -> io::Result<Self> {
        let stays = |at: &usize| finder.decision.archived.binary_search(at).is_err();
        let rows = finder.decision.rows.iter().enumerate().rev();
        let taught = rows.filter(|(at, row)| row.outcome.has_reflection && stays(at));
        let mut rows: Vec<usize> = taught.map(|(at, _)| at).take(MAX_TEXTS).collect();
        rows.reverse();
        let mut corpus = Self { texts: Vec::new(), rows: Vec::new(), by_episode: HashMap::new() };
        if rows.is_empty() {
            return Ok(corpus);
        }
        let log = File::open(finder.log)?;
        for row in rows {
            if let Some(text) = finder.read_episode(&log, row, theme_text)? {
                corpus.by_episode.insert(finder.decision.row_id(row), corpus.texts.len());
                corpus.texts.push(text);
                corpus.rows.push(row);
            }
        }
        Ok(corpus)
    }

    /// Adds what is known, and returns it with the text and the state of each.
    fn add_known(&mut self, memory: &KnownMemory<'_>) -> (Vec<KnownTheme>, Vec<KnownEntry>) {
        let mut known = Vec::new();
        let mut lessons = Vec::new();
        let is_addition = |entry: &&QueueEntry, lesson: &SimilarLesson| {
            entry.staged.like.as_ref().is_some_and(|like| like.pattern == lesson.pattern && like.text == lesson.text)
        };
        for lesson in cited_lessons(memory.lessons) {
            let texts = self.texts_or_own(&lesson.episodes, &lesson.lesson.text);
            let has_pending_addition = memory.queue.pending().any(|entry| is_addition(&entry, &lesson.lesson));
            known.push(KnownTheme { kind: KnownKind::Lesson, texts, has_pending_addition });
            lessons.push(KnownEntry { similar: lesson.lesson, state: "lesson" });
        }
        let entries = memory.queue.entries.iter().filter(|entry| entry.staged.kind == CandidateKind::Lesson);
        for entry in entries {
            let staged = &entry.staged;
            let (kind, state) = match entry.status {
                ReviewStatus::Pending => (KnownKind::Pending, "waiting"),
                ReviewStatus::Accepted(_) => (KnownKind::Decided, "accepted"),
                ReviewStatus::Rejected(_) => (KnownKind::Decided, "rejected"),
            };
            let texts = self.texts_or_own(&staged.episodes, &staged.text);
            known.push(KnownTheme { kind, texts, has_pending_addition: false });
            let (text, pattern) = (staged.text.clone(), Some(staged.candidate.clone()));
            lessons.push(KnownEntry { similar: SimilarLesson { text, pattern, of: staged.total }, state });
        }
        (known, lessons)
    }

    /// The texts of these episodes, or if the log has none of them, the words of the lesson itself.
    fn texts_or_own(&mut self, episodes: &[String], text: &str) -> Vec<usize> {
        let texts = self.texts_of(episodes);
        if !texts.is_empty() || self.texts.len() >= self.rows.len() + MAX_KNOWN_TEXTS {
            return texts;
        }
        self.texts.push(ThemeText { reflection: text.to_owned(), ..ThemeText::default() });
        vec![self.texts.len() - 1]
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
