//! The units of `LESSONS.md` for a merge: lines and list items. Finds the same lesson on both sides, even if it was worded
//! differently.

use crate::lessons::{ParsedItem, parse_items, with_merged_citations};
use std::collections::{HashMap, HashSet};

/// A non-blank line or a complete list item, with the blank lines before it.
#[derive(Clone, Debug)]
pub(super) struct LessonUnit {
    /// The blank lines before the unit.
    pub lead: String,
    pub text: String,
    /// The parsed item, if the unit is a list item.
    pub item: Option<ParsedItem>,
    /// The other side's text of the same lesson, if the two conflict.
    pub conflicting: Option<String>,
}

impl LessonUnit {
    pub fn is_heading(&self) -> bool {
        self.text.starts_with('#')
    }

    /// The text that identifies the unit, without line endings, which git may convert.
    pub fn key(&self) -> &str {
        self.text.trim_end()
    }
}

/// The units of a text, and the blank lines after the last one.
pub(super) struct LessonUnits<'a> {
    pub units: Vec<LessonUnit>,
    pub tail: &'a str,
}

impl<'a> LessonUnits<'a> {
    pub fn parse(text: &'a str) -> Self {
        let mut items: HashMap<usize, ParsedItem> =
            parse_items(text).into_iter().map(|item| (item.span.offset, item)).collect();
        let mut units = Vec::new();
        let mut at = 0;
        let mut from = 0;
        while at < text.len() {
            let rest = &text[at..];
            let line = rest.find('\n').map_or(rest.len(), |end| end + 1);
            let item = items.remove(&at);
            if item.is_none() && rest[..line].trim().is_empty() {
                at += line;
                continue;
            }
            let end = item.as_ref().map_or(at + line, |item| item.span.end());
            let lead = text[from..at].to_owned();
            let unit = text[at..end].trim_end_matches(['\n', '\r']).to_owned();
            units.push(LessonUnit { lead, text: unit, item, conflicting: None });
            at = end.max(at + 1);
            // The span of an item ends before its line ending.
            at += text[at..].find('\n').filter(|_| !text[..at].ends_with('\n')).map_or(0, |end| end + 1);
            from = at;
        }
        Self { units, tail: &text[from..] }
    }
}

/// Merge of an item that both sides added or changed.
enum ItemMerge {
    Use(String),
    Conflict,
}

/// Makes the text of the same lesson equal on both sides, or removes it from theirs.
pub(super) fn reconcile(base: &[LessonUnit], ours: &mut [LessonUnit], theirs: &mut Vec<LessonUnit>) {
    let known: HashSet<String> = base.iter().map(|unit| unit.key().to_owned()).collect();
    let current: HashSet<String> = ours.iter().chain(theirs.iter()).map(|unit| unit.key().to_owned()).collect();
    // Units that neither side has any more: both sides may have reworded them.
    let former: Vec<&LessonUnit> = base.iter().filter(|unit| !current.contains(unit.key())).collect();
    // The same text below another date: the merge keeps it once, which must not leave the date of the other side without text.
    let mut removed: HashSet<usize> = (0..theirs.len())
        .filter(|at| theirs[*at].item.is_some() && !known.contains(theirs[*at].key()))
        .filter(|at| {
            let our = ours.iter().position(|our| our.item.is_some() && our.key() == theirs[*at].key());
            our.is_some_and(|our| heading_above(ours, our) != heading_above(theirs, *at))
        })
        .collect();
    for (at, unit) in theirs.iter_mut().enumerate() {
        let Some(their) = unit.item.as_ref().filter(|_| !known.contains(unit.key())) else { continue };
        let is_same = |our: &&mut LessonUnit| {
            let is_new = !known.contains(our.key()) && our.conflicting.is_none();
            is_new && our.item.as_ref().is_some_and(|our| our.is_same_lesson(their))
        };
        let Some(our) = ours.iter_mut().find(is_same) else { continue };
        if our.key() == unit.key() {
            continue;
        }
        let is_former = |unit: &&&LessonUnit| unit.item.as_ref().is_some_and(|former| former.is_same_lesson(their));
        let before = former.iter().find(is_former).copied();
        match (merge_items(our, unit, before), before) {
            (ItemMerge::Use(text), Some(_)) => {
                our.text.clone_from(&text);
                unit.text = text;
            }
            (ItemMerge::Use(text), None) => {
                our.text = text;
                removed.insert(at);
            }
            (ItemMerge::Conflict, None) => {
                our.conflicting = Some(unit.text.clone());
                removed.insert(at);
            }
            // Both replaced the same unit of the base, which the merge reports as a conflict anyway.
            (ItemMerge::Conflict, Some(_)) => {}
        }
    }
    remove_units(theirs, &removed, &known);
}

/// The heading that a unit is below.
fn heading_above(units: &[LessonUnit], at: usize) -> Option<&str> {
    units[..at].iter().rev().find(|unit| unit.is_heading()).map(LessonUnit::key)
}

fn merge_items(our: &LessonUnit, their: &LessonUnit, before: Option<&LessonUnit>) -> ItemMerge {
    let (Some(ours), Some(theirs)) = (&our.item, &their.item) else { return ItemMerge::Conflict };
    let former = before.and_then(|before| before.item.as_ref());
    if ours.words != theirs.words {
        return match former {
            Some(former) if former.words == ours.words => ItemMerge::Use(their.text.clone()),
            Some(former) if former.words == theirs.words => ItemMerge::Use(our.text.clone()),
            _ => ItemMerge::Conflict,
        };
    }
    // If we only added citations, take their wording.
    let is_untouched = former.is_some_and(|former| former.stem == ours.stem);
    ItemMerge::Use(if is_untouched {
        with_merged_citations(&their.text, theirs, ours)
    } else {
        with_merged_citations(&our.text, ours, theirs)
    })
}

/// Removes units, and new headings that have nothing left below them.
fn remove_units(units: &mut Vec<LessonUnit>, removed: &HashSet<usize>, known: &HashSet<String>) {
    let mut gone = removed.clone();
    for at in 0..units.len() {
        if !units[at].is_heading() || known.contains(units[at].key()) {
            continue;
        }
        let mut below = (at + 1..units.len()).take_while(|at| !units[*at].is_heading()).peekable();
        if below.peek().is_some() && below.all(|at| removed.contains(&at)) {
            gone.insert(at);
        }
    }
    let mut kept: Vec<LessonUnit> = Vec::with_capacity(units.len());
    // The blank lines before an item belong to the place, for example below a heading.
    let mut lead: Option<String> = None;
    for (at, mut unit) in units.drain(..).enumerate() {
        if gone.contains(&at) {
            lead.get_or_insert(unit.lead);
            continue;
        }
        if let Some(lead) = lead.take().filter(|lead| unit.item.is_some() && lead.len() > unit.lead.len()) {
            unit.lead = lead;
        }
        kept.push(unit);
    }
    *units = kept;
}
