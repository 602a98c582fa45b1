//! The log, the snapshots and the quarantine: pieces that have an identity of their own.

use super::walk::{Fate, Piece, Versions};
use super::{Merged, Sides};
use crate::canon::episode::Episode;
use crate::canon::timestamp::Timestamp;
use std::collections::{HashMap, VecDeque};

/// A row, or a line that is none with what stands above it.
#[derive(Clone, Copy, Debug)]
struct Unit<'a> {
    /// As it is written, without the line end.
    bytes: &'a [u8],
    /// What counts of it.
    body: &'a [u8],
    /// Its own id or its bytes, hashed, and which of several such it is.
    key: (u128, u32),
    at: Option<Timestamp>,
}

impl Piece for Unit<'_> {
    type Key = (u128, u32);

    fn key(&self) -> Self::Key {
        self.key
    }

    fn same(&self, other: &Self) -> bool {
        self.body == other.body
    }
}

/// The log, or a snapshot. A row is known by its own `id`, else by its bytes: what both sides added stands once, and what
/// one side moved elsewhere is gone. Where they added in the same place, the older row comes first.
pub fn rows(sides: &Sides<'_>) -> Merged {
    merge(sides, |text| {
        lines(text)
            .map(|line| {
                let episode = Episode::parse(line).ok();
                let id = episode.as_ref().and_then(|episode| episode.id.as_deref()).filter(|id| !id.is_empty());
                let name = id.map_or_else(|| hash(b"bytes", without_cr(line)), |id| hash(b"id", id.as_bytes()));
                Unit { bytes: line, body: without_cr(line), key: (name, 0), at: episode.map(|episode| episode.at) }
            })
            .collect()
    })
}

/// The quarantine: a line that both sides set aside stands once, whatever the two say of when and why.
pub fn quarantine(sides: &Sides<'_>) -> Merged {
    merge(sides, |text| {
        let mut units = Vec::new();
        let mut lines = lines(text);
        while let Some(line) = lines.next() {
            let unit = |bytes, body| Unit { bytes, body, key: (hash(b"bytes", body), 0), at: None };
            let next = lines.clone().next().filter(|_| is_header(line));
            units.push(match next {
                Some(below) => {
                    lines.next();
                    unit(spanning(text, line, below), without_cr(below))
                }
                None => unit(line, without_cr(line)),
            });
        }
        units
    })
}

/// As `quarantine::header` writes it.
fn is_header(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let mut words = text.split(' ');
    words.next() == Some("#")
        && words.next().is_some_and(|date| date.len() == 10 && date.as_bytes().get(4) == Some(&b'-'))
        && words.next() == Some("line")
}

/// From the start of one line to the end of a later one.
fn spanning<'a>(text: &'a [u8], from: &[u8], to: &[u8]) -> &'a [u8] {
    let offset = |line: &[u8]| (line.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    text.get(offset(from)..offset(to) + to.len()).unwrap_or_default()
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
}

fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn hash(kind: &[u8], text: &[u8]) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind).update(b"\0").update(text);
    hasher.finalize().as_bytes().iter().take(16).fold(0, |hash, byte| hash << 8 | u128::from(*byte))
}

fn merge<'a>(sides: &Sides<'a>, units: impl Fn(&'a [u8]) -> Vec<Unit<'a>>) -> Merged {
    if let Some(bytes) = sides.trivial() {
        return Merged::clean(bytes);
    }
    let [base, ours, theirs] = [sides.base, sides.ours, sides.theirs].map(|text| numbered(units(text)));
    let versions = Versions::of(&base, &ours, &theirs);
    let mut merged = Merged::default();
    for fate in versions.walk(by_time) {
        match fate {
            Fate::Keep(unit) => merged.line(unit.bytes),
            Fate::Clash(ours, theirs) => merged.clash(bytes(ours), bytes(theirs)),
            Fate::Drop => {}
        }
    }
    merged
}

fn bytes(unit: Option<Unit<'_>>) -> &[u8] {
    unit.map(|unit| unit.bytes).unwrap_or_default()
}

/// Two rows of one name in one file are two rows.
fn numbered(mut units: Vec<Unit<'_>>) -> Vec<Unit<'_>> {
    let mut met: HashMap<u128, u32> = HashMap::with_capacity(units.len());
    for unit in &mut units {
        let count = met.entry(unit.key.0).or_default();
        unit.key.1 = *count;
        *count += 1;
    }
    units
}

/// Each side keeps its order. Of two heads the older one comes first; the same whichever side is which.
fn by_time<'a>(ours: Vec<Fate<Unit<'a>>>, theirs: Vec<Fate<Unit<'a>>>) -> Vec<Fate<Unit<'a>>> {
    let mut out = Vec::with_capacity(ours.len() + theirs.len());
    let (mut ours, mut theirs) = (VecDeque::from(ours), VecDeque::from(theirs));
    while let (Some(our), Some(their)) = (ours.front(), theirs.front()) {
        let side = if rank(their) < rank(our) { &mut theirs } else { &mut ours };
        out.extend(side.pop_front());
    }
    out.extend(ours);
    out.extend(theirs);
    out
}

fn rank<'a>(fate: &Fate<Unit<'a>>) -> (Option<Timestamp>, &'a [u8]) {
    match fate {
        Fate::Keep(unit) | Fate::Clash(Some(unit), _) | Fate::Clash(None, Some(unit)) => (unit.at, unit.bytes),
        Fate::Clash(None, None) | Fate::Drop => (None, b""),
    }
}
