//! Which candidates become lessons by themselves, and which wait for a person.

use super::Ruleset;
use super::lessons::{Candidate, fresh, listed};
use super::opposing::opposed;
use super::review::{Kind, Queue, Staged};
use crate::config::Promotion;

/// Candidates of a kind that wait for a person at most: more than that nobody reads. Lessons wait however many there are.
pub const WAITING: usize = 10;

/// Those that are new, as many as there is room for.
pub fn room(found: Vec<Staged>, queue: &Queue) -> Vec<Staged> {
    let waiting = |kind: Kind| queue.waiting().filter(|entry| entry.staged.kind == kind).count();
    let new = found.into_iter().filter(|staged| !queue.knows(staged.kind, &staged.candidate, &staged.text));
    let mut new: Vec<Staged> = new.collect();
    if let Some(first) = new.first() {
        new.truncate(WAITING.saturating_sub(waiting(first.kind)));
    }
    new
}

/// What becomes of candidates, by their positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triage {
    /// They become lessons.
    pub lessons: Vec<usize>,
    /// They wait.
    pub staged: Vec<usize>,
}

/// What there is already.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The text of the lessons.
    pub lessons: &'a str,
    /// What waits, and what was said of what waited.
    pub queue: &'a Queue,
}

/// Decides. What a person has once said yes or no to, or is still to, is not asked again. What is opposed to a lesson, to
/// what waits, or to another candidate waits, so that neither of two opposed ones goes in unseen.
pub fn triage(candidates: &[Candidate], known: Known<'_>, promotion: Promotion) -> Triage {
    let name = |candidate: &Candidate| candidate.pattern.clone().unwrap_or_default();
    let is_new = |at: &usize| !known.queue.knows(Kind::Lesson, &name(&candidates[*at]), &candidates[*at].text);
    let new: Vec<usize> = fresh(known.lessons, candidates, Ruleset::Current).into_iter().filter(is_new).collect();
    if promotion == Promotion::Review || new.is_empty() {
        return Triage { lessons: Vec::new(), staged: new };
    }
    let lessons = listed(known.lessons);
    let waiting = known.queue.waiting().filter(|entry| entry.staged.kind == Kind::Lesson);
    let others = lessons.iter().map(String::as_str).chain(waiting.map(|entry| entry.staged.text.as_str()));
    let texts: Vec<&str> = new.iter().map(|at| candidates[*at].text.as_str()).chain(others).collect();
    let opposed = opposed(&texts);
    let (staged, lessons) = new.iter().zip(opposed).partition::<Vec<_>, _>(|(_, others)| !others.is_empty());
    let at = |list: Vec<(&usize, Vec<usize>)>| list.into_iter().map(|(at, _)| *at).collect();
    Triage { lessons: at(lessons), staged: at(staged) }
}
