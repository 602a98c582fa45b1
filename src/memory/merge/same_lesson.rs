//! The same lesson on both sides, in the same words or in others.

use super::units::Unit;
use crate::memory::lessons::recited;
use std::collections::HashSet;

/// What is to be done about two new items that are one lesson.
enum Verdict {
    /// It is said so.
    Take(String),
    /// A person has to choose.
    Choose,
}

/// Makes the same lesson the same text on both sides, or takes it out of one.
pub(super) fn reconcile(base: &[Unit], ours: &mut [Unit], theirs: &mut Vec<Unit>) {
    let known: HashSet<String> = base.iter().map(|unit| unit.name().to_owned()).collect();
    let standing: HashSet<String> = ours.iter().chain(theirs.iter()).map(|unit| unit.name().to_owned()).collect();
    // What neither has any more was put in other words by both.
    let former: Vec<&Unit> = base.iter().filter(|unit| !standing.contains(unit.name())).collect();
    let mut removed = HashSet::new();
    for (at, unit) in theirs.iter_mut().enumerate() {
        let Some(their) = unit.reading.as_ref().filter(|_| !known.contains(unit.name())) else { continue };
        let twin = |our: &&mut Unit| {
            let is_new = !known.contains(our.name()) && our.rival.is_none();
            is_new && our.reading.as_ref().is_some_and(|our| our.is_lesson_of(their))
        };
        let Some(our) = ours.iter_mut().find(twin) else { continue };
        if our.name() == unit.name() {
            continue;
        }
        let is_former = |unit: &&&Unit| unit.reading.as_ref().is_some_and(|former| former.is_lesson_of(their));
        let before = former.iter().find(is_former).copied();
        match (verdict(our, unit, before), before) {
            (Verdict::Take(text), Some(_)) => {
                our.text.clone_from(&text);
                unit.text = text;
            }
            (Verdict::Take(text), None) => {
                our.text = text;
                removed.insert(at);
            }
            (Verdict::Choose, None) => {
                our.rival = Some(unit.text.clone());
                removed.insert(at);
            }
            // The lines of both stand in the place of the same one: that is a conflict by itself.
            (Verdict::Choose, Some(_)) => {}
        }
    }
    take_out(theirs, &removed, &known);
}

fn verdict(our: &Unit, their: &Unit, before: Option<&Unit>) -> Verdict {
    let (Some(ours), Some(theirs)) = (&our.reading, &their.reading) else { return Verdict::Choose };
    let former = before.and_then(|before| before.reading.as_ref());
    if ours.words != theirs.words {
        return match former {
            Some(former) if former.words == ours.words => Verdict::Take(their.text.clone()),
            Some(former) if former.words == theirs.words => Verdict::Take(our.text.clone()),
            _ => Verdict::Choose,
        };
    }
    // Who only named more episodes has not touched the words.
    let is_untouched = former.is_some_and(|former| former.stem == ours.stem);
    let (said, other) = if is_untouched { (their, ours) } else { (our, theirs) };
    let reading = if is_untouched { theirs } else { ours };
    Verdict::Take(recited(&said.text, reading, other))
}

/// Together with headings under which nothing is left.
fn take_out(units: &mut Vec<Unit>, removed: &HashSet<usize>, known: &HashSet<String>) {
    let mut gone = removed.clone();
    for at in 0..units.len() {
        if !units[at].is_heading() || known.contains(units[at].name()) {
            continue;
        }
        let below = (at + 1..units.len()).take_while(|at| !units[*at].is_heading());
        let (all, left) = below.fold((0, 0), |(all, left), at| (all + 1, left + usize::from(!removed.contains(&at))));
        if all > 0 && left == 0 {
            gone.insert(at);
        }
    }
    let mut at = 0;
    units.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
}
