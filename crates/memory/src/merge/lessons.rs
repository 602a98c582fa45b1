//! Merging `LESSONS.md`, a text for people in which canonry recognizes the lessons.

use super::lesson_units::{LessonUnit, LessonUnits, reconcile};
use super::three_way::{Element, Resolution, ThreeWay};
use super::{MergeInput, MergeOutput};
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::HashMap;

/// A unit of a chunk.
#[derive(Clone, Copy, Debug)]
struct UnitElement<'a> {
    unit: &'a LessonUnit,
    lead: &'a str,
    /// The ordinal among equal units of the chunk, from 1.
    ordinal: usize,
}

impl<'a> Element for UnitElement<'a> {
    type Key = (&'a str, usize);

    fn key(&self) -> Self::Key {
        (self.unit.key(), self.ordinal)
    }

    fn is_unchanged(&self, _: &Self) -> bool {
        true
    }
}

/// Merges the lessons of both sides. The same lesson is kept once, with the episodes of both; a lesson that a person reworded
/// keeps that wording; different rewordings of one lesson conflict. Everything else is merged line by line.
pub(super) fn merge_lessons(input: &MergeInput<'_>) -> MergeOutput {
    if let Some(bytes) = input.trivial() {
        return MergeOutput::without_conflicts(bytes);
    }
    let texts = [input.base, input.ours, input.theirs].map(std::str::from_utf8);
    let [Ok(base), Ok(ours), Ok(theirs)] = texts else {
        let mut output = MergeOutput::default();
        output.push_conflict(input.ours, input.theirs);
        return output;
    };
    let eol = if ours.contains("\r\n") { "\r\n" } else { "\n" };
    let base = LessonUnits::parse(base).units;
    let mut ours = LessonUnits::parse(ours);
    let mut theirs = LessonUnits::parse(theirs).units;
    reconcile(&base, &mut ours.units, &mut theirs);
    let mut writer = LessonWriter { output: MergeOutput::default(), eol };
    for chunk in split_into_chunks(&base, &ours.units, &theirs) {
        chunk.write(&mut writer);
    }
    writer.output.bytes.extend_from_slice(ours.tail.as_bytes());
    writer.output
}

/// The units between two units that all three versions have.
struct UnitChunk<'a> {
    base: &'a [LessonUnit],
    ours: &'a [LessonUnit],
    theirs: &'a [LessonUnit],
}

/// Splits the versions at the units that all three have in the same order.
fn split_into_chunks<'a>(
    base: &'a [LessonUnit],
    ours: &'a [LessonUnit],
    theirs: &'a [LessonUnit],
) -> Vec<UnitChunk<'a>> {
    let in_ours = match_units(base, ours);
    let in_theirs = match_units(base, theirs);
    let mut chunks = Vec::new();
    let mut b = 0;
    let mut o = 0;
    let mut t = 0;
    for at in 0..base.len() {
        if let (Some(our), Some(their)) = (in_ours[at], in_theirs[at]) {
            chunks.push(UnitChunk { base: &base[b..at], ours: &ours[o..our], theirs: &theirs[t..their] });
            chunks.push(UnitChunk { base: &[], ours: &ours[our..=our], theirs: &ours[our..=our] });
            (b, o, t) = (at + 1, our + 1, their + 1);
        }
    }
    chunks.push(UnitChunk { base: &base[b..], ours: &ours[o..], theirs: &theirs[t..] });
    chunks
}

/// The position of each unit of the base in a side.
fn match_units(base: &[LessonUnit], side: &[LessonUnit]) -> Vec<Option<usize>> {
    let keys = |units: &[LessonUnit]| units.iter().map(|unit| unit.key().to_owned()).collect::<Vec<_>>();
    let mut found = vec![None; base.len()];
    for op in capture_diff_slices(Algorithm::Myers, &keys(base), &keys(side)) {
        if op.tag() == DiffTag::Equal {
            op.old_range().zip(op.new_range()).for_each(|(old, new)| found[old] = Some(new));
        }
    }
    found
}

impl<'a> UnitChunk<'a> {
    fn write(&self, writer: &mut LessonWriter) {
        let [base, ours, theirs] = [self.base, self.ours, self.theirs].map(numbered);
        let keys = |units: &[UnitElement<'a>]| units.iter().map(|element| element.unit.key()).collect::<Vec<_>>();
        if keys(&theirs) == keys(&base) || keys(&ours) == keys(&theirs) {
            return writer.push_units(&ours);
        }
        if keys(&ours) == keys(&base) {
            return writer.push_units(&theirs);
        }
        let three_way = ThreeWay::new(&base, &ours, &theirs);
        if both_replaced(&three_way) {
            return writer.push_conflict(&ours, &theirs);
        }
        let merged = three_way.merge(headings_last).into_iter();
        let kept = merged.filter_map(|resolution| match resolution {
            Resolution::Keep(element) => Some(element),
            Resolution::Conflict(..) | Resolution::Drop => None,
        });
        writer.push_units(&kept.collect::<Vec<_>>());
    }
}

/// Whether both sides removed a unit and each added another one.
fn both_replaced<'a>(three_way: &ThreeWay<'_, UnitElement<'a>>) -> bool {
    let adds = |side: &[UnitElement<'a>]| {
        side.iter().any(|element| !three_way.is_common(element) && !three_way.base.contains_key(&element.key()))
    };
    three_way.base.keys().any(|key| !three_way.is_in_either(key)) && adds(three_way.ours) && adds(three_way.theirs)
}

fn numbered(units: &[LessonUnit]) -> Vec<UnitElement<'_>> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let number = |unit| {
        let count = seen.entry(LessonUnit::key(unit)).or_default();
        *count += 1;
        UnitElement { unit, lead: &unit.lead, ordinal: *count }
    };
    units.iter().map(number).collect()
}

/// Puts a run that continues a list before a run that starts with a heading, and the earlier of two headings first, such as
/// the dates of two dreams.
fn headings_last<'a>(
    ours: Vec<Resolution<UnitElement<'a>>>,
    theirs: Vec<Resolution<UnitElement<'a>>>,
) -> Vec<Resolution<UnitElement<'a>>> {
    let heading = |run: &[Resolution<UnitElement<'a>>]| match run.first() {
        Some(Resolution::Keep(element)) if element.unit.is_heading() => Some(element.unit.key()),
        _ => None,
    };
    let mut first = ours;
    let mut second = theirs;
    if heading(&second) < heading(&first) {
        std::mem::swap(&mut first, &mut second);
    }
    // Join two lists without a blank line between them.
    if let (Some(Resolution::Keep(last)), Some(Resolution::Keep(next))) = (first.last(), second.first_mut())
        && last.unit.item.is_some()
        && next.unit.item.is_some()
    {
        next.lead = "";
    }
    first.extend(second);
    first
}

struct LessonWriter {
    output: MergeOutput,
    eol: &'static str,
}

impl LessonWriter {
    fn push_units(&mut self, units: &[UnitElement<'_>]) {
        for element in units {
            self.output.bytes.extend_from_slice(element.lead.as_bytes());
            let text = self.with_eol(&element.unit.text);
            match &element.unit.conflicting {
                None => self.output.bytes.extend_from_slice(text.as_bytes()),
                Some(theirs) => {
                    let theirs = self.with_eol(theirs);
                    self.output.push_conflict(text.as_bytes(), theirs.as_bytes());
                }
            }
        }
    }

    fn push_conflict(&mut self, ours: &[UnitElement<'_>], theirs: &[UnitElement<'_>]) {
        let lead = |units: &[UnitElement<'_>]| units.first().map_or("", |element| element.lead).to_owned();
        // Leading blank lines that both sides have are not part of the conflict.
        let is_common = lead(ours) == lead(theirs);
        if is_common {
            self.output.bytes.extend_from_slice(lead(ours).as_bytes());
        }
        let text = |units: &[UnitElement<'_>]| -> String {
            let parts = units.iter().map(|element| format!("{}{}", element.lead, self.with_eol(&element.unit.text)));
            let whole: String = parts.collect();
            whole[if is_common { lead(units).len() } else { 0 }..].to_owned()
        };
        let ours = text(ours);
        let theirs = text(theirs);
        self.output.push_conflict(ours.as_bytes(), theirs.as_bytes());
    }

    fn with_eol(&self, text: &str) -> String {
        format!("{text}{}", self.eol)
    }
}
