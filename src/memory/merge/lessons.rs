//! `LESSONS.md`: a text for people, in which canonry knows the lessons.

use super::same_lesson::reconcile;
use super::units::{Unit, units};
use super::walk::{Fate, Piece, Versions};
use super::{Merged, Sides};
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::HashMap;

/// A unit among others of the same text.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    unit: &'a Unit,
    lead: &'a str,
    nth: usize,
}

impl<'a> Piece for Line<'a> {
    type Key = (&'a str, usize);

    fn key(&self) -> Self::Key {
        (self.unit.name(), self.nth)
    }

    fn same(&self, _: &Self) -> bool {
        true
    }
}

/// The lessons of both sides: the same words stand once, with the episodes of both; a lesson that a person put in other
/// words stays in these; what both changed differently is left to a person. All else is merged line by line.
pub fn lessons(sides: &Sides<'_>) -> Merged {
    if let Some(bytes) = sides.trivial() {
        return Merged::clean(bytes);
    }
    let texts = [sides.base, sides.ours, sides.theirs].map(std::str::from_utf8);
    let [Ok(base), Ok(ours), Ok(theirs)] = texts else {
        let mut merged = Merged::default();
        merged.clash(sides.ours, sides.theirs);
        return merged;
    };
    let (base, _) = units(base);
    let (mut our_units, tail) = units(ours);
    let (mut their_units, _) = units(theirs);
    reconcile(&base, &mut our_units, &mut their_units);
    let mut writer = Writer { merged: Merged::default(), eol: if ours.contains("\r\n") { "\r\n" } else { "\n" } };
    for chunk in chunks(&base, &our_units, &their_units) {
        chunk.write(&mut writer);
    }
    writer.merged.bytes.extend_from_slice(tail.as_bytes());
    writer.merged
}

/// What stands between two units that all three have.
struct Chunk<'a> {
    base: &'a [Unit],
    ours: &'a [Unit],
    theirs: &'a [Unit],
}

/// The whole, cut at the units that all three have in the same order.
fn chunks<'a>(base: &'a [Unit], ours: &'a [Unit], theirs: &'a [Unit]) -> Vec<Chunk<'a>> {
    let (in_ours, in_theirs) = (matches(base, ours), matches(base, theirs));
    let mut chunks = Vec::new();
    let (mut b, mut o, mut t) = (0, 0, 0);
    for at in 0..base.len() {
        if let (Some(our), Some(their)) = (in_ours[at], in_theirs[at]) {
            chunks.push(Chunk { base: &base[b..at], ours: &ours[o..our], theirs: &theirs[t..their] });
            chunks.push(Chunk { base: &[], ours: &ours[our..=our], theirs: &ours[our..=our] });
            (b, o, t) = (at + 1, our + 1, their + 1);
        }
    }
    chunks.push(Chunk { base: &base[b..], ours: &ours[o..], theirs: &theirs[t..] });
    chunks
}

/// Where each unit of the base stands in a side.
fn matches(base: &[Unit], side: &[Unit]) -> Vec<Option<usize>> {
    let names = |units: &[Unit]| units.iter().map(|unit| unit.name().to_owned()).collect::<Vec<_>>();
    let mut found = vec![None; base.len()];
    for op in capture_diff_slices(Algorithm::Myers, &names(base), &names(side)) {
        if op.tag() == DiffTag::Equal {
            op.old_range().zip(op.new_range()).for_each(|(old, new)| found[old] = Some(new));
        }
    }
    found
}

impl<'a> Chunk<'a> {
    fn write(&self, writer: &mut Writer) {
        let [base, ours, theirs] = [self.base, self.ours, self.theirs].map(numbered);
        let names = |lines: &[Line<'a>]| lines.iter().map(|line| line.unit.name()).collect::<Vec<_>>();
        match () {
            () if names(&theirs) == names(&base) || names(&ours) == names(&theirs) => writer.lines(&ours),
            () if names(&ours) == names(&base) => writer.lines(&theirs),
            () => {
                let versions = Versions::of(&base, &ours, &theirs);
                if both_replaced(&versions) {
                    return writer.clash(&ours, &theirs);
                }
                let kept = versions.walk(in_turn).into_iter();
                let kept: Vec<Line<'_>> =
                    kept.filter_map(|fate| if let Fate::Keep(line) = fate { Some(line) } else { None }).collect();
                writer.lines(&kept);
            }
        }
    }
}

/// Something is gone from both, and each has something else instead.
fn both_replaced<'a>(versions: &Versions<'_, Line<'a>>) -> bool {
    let adds = |side: &[Line<'a>]| {
        side.iter().any(|line| !versions.is_common(line) && !versions.base.contains_key(&line.key()))
    };
    versions.base.keys().any(|key| !versions.is_in_either(key)) && adds(versions.ours) && adds(versions.theirs)
}

fn numbered(units: &[Unit]) -> Vec<Line<'_>> {
    let mut met: HashMap<&str, usize> = HashMap::new();
    let number = |unit| {
        let count = met.entry(Unit::name(unit)).or_default();
        *count += 1;
        Line { unit, lead: &unit.lead, nth: *count }
    };
    units.iter().map(number).collect()
}

/// What goes on with the list that both began in comes before what begins with a heading; of two headings, such as the
/// days of two dreams, the earlier one comes first.
fn in_turn<'a>(ours: Vec<Fate<Line<'a>>>, theirs: Vec<Fate<Line<'a>>>) -> Vec<Fate<Line<'a>>> {
    let head = |run: &[Fate<Line<'a>>]| match run.first() {
        Some(Fate::Keep(line)) if line.unit.is_heading() => Some(line.unit.name()),
        _ => None,
    };
    let (mut first, mut second) = (ours, theirs);
    if head(&second) < head(&first) {
        std::mem::swap(&mut first, &mut second);
    }
    // One list, and not two with a gap between them.
    if let (Some(Fate::Keep(last)), Some(Fate::Keep(next))) = (first.last(), second.first_mut())
        && last.unit.reading.is_some()
        && next.unit.reading.is_some()
    {
        next.lead = "";
    }
    first.extend(second);
    first
}

struct Writer {
    merged: Merged,
    eol: &'static str,
}

impl Writer {
    fn lines(&mut self, lines: &[Line<'_>]) {
        for line in lines {
            self.merged.bytes.extend_from_slice(line.lead.as_bytes());
            match &line.unit.rival {
                None => self.merged.bytes.extend_from_slice(self.ended(&line.unit.text).as_bytes()),
                Some(rival) => {
                    self.merged.clash(self.ended(&line.unit.text).as_bytes(), self.ended(rival).as_bytes());
                }
            }
        }
    }

    fn clash(&mut self, ours: &[Line<'_>], theirs: &[Line<'_>]) {
        let lead = |lines: &[Line<'_>]| lines.first().map_or(String::new(), |line| line.lead.to_owned());
        // Blank lines that both begin with are nothing to choose between.
        let common = lead(ours) == lead(theirs);
        if common {
            self.merged.bytes.extend_from_slice(lead(ours).as_bytes());
        }
        let text = |lines: &[Line<'_>]| -> String {
            let whole = lines.iter().map(|line| format!("{}{}", line.lead, self.ended(&line.unit.text)));
            let whole: String = whole.collect();
            whole[if common { lead(lines).len() } else { 0 }..].to_owned()
        };
        let (ours, theirs) = (text(ours), text(theirs));
        self.merged.clash(ours.as_bytes(), theirs.as_bytes());
    }

    fn ended(&self, text: &str) -> String {
        format!("{text}{}", self.eol)
    }
}
