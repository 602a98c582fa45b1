//! Merging the log, the snapshots and the quarantine, whose elements have an identity of their own.

use super::three_way::{Element, Resolution, ThreeWay};
use super::{MergeInput, MergeOutput};
use canonry_model::canon::episode::Episode;
use canonry_model::canon::timestamp::Timestamp;
use std::collections::{HashMap, VecDeque};

/// A row, or a quarantined line with its comment.
#[derive(Clone, Copy, Debug)]
struct RowElement<'a> {
    /// The bytes as written, without the last line ending.
    bytes: &'a [u8],
    /// The part that is compared: without a comment and line endings.
    content: &'a [u8],
    key: RowKey,
    at: Option<Timestamp>,
}

/// Hash of the row's own id or of its bytes, and the ordinal among equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct RowKey {
    hash: u128,
    ordinal: u32,
}

impl Element for RowElement<'_> {
    type Key = RowKey;

    fn key(&self) -> Self::Key {
        self.key
    }

    fn is_unchanged(&self, other: &Self) -> bool {
        self.content == other.content
    }
}

/// Merges the log or a snapshot. A row that both sides added is kept once, and a row that one side moved to another file is
/// removed. Rows added at the same place are sorted by time.
pub(super) fn merge_rows(input: &MergeInput<'_>) -> MergeOutput {
    merge(input, |text| {
        lines(text)
            .map(|line| {
                let episode = Episode::parse(line).ok();
                let id = episode.as_ref().and_then(|episode| episode.id.as_deref()).filter(|id| !id.is_empty());
                let hash = id.map_or_else(|| hash(b"bytes", without_cr(line)), |id| hash(b"id", id.as_bytes()));
                let key = RowKey { hash, ordinal: 0 };
                RowElement { bytes: line, content: without_cr(line), key, at: episode.map(|episode| episode.at) }
            })
            .collect()
    })
}

/// Merges the quarantine. A line that both sides quarantined is kept once, even if the comments differ.
pub(super) fn merge_quarantine(input: &MergeInput<'_>) -> MergeOutput {
    merge(input, |text| {
        let mut elements = Vec::new();
        let mut lines = lines(text);
        while let Some(line) = lines.next() {
            let element = |bytes, content| {
                let key = RowKey { hash: hash(b"bytes", content), ordinal: 0 };
                RowElement { bytes, content, key, at: None }
            };
            let next = lines.clone().next().filter(|_| is_comment(line));
            elements.push(match next {
                Some(below) => {
                    lines.next();
                    element(spanning(text, line, below), without_cr(below))
                }
                None => element(line, without_cr(line)),
            });
        }
        elements
    })
}

/// Whether a line has the format of `InvalidLine::quarantine_comment`.
fn is_comment(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let mut words = text.split(' ');
    words.next() == Some("#")
        && words.next().is_some_and(|date| date.len() == 10 && date.as_bytes().get(4) == Some(&b'-'))
        && words.next() == Some("line")
}

/// The bytes from the start of one line to the end of a later one.
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

fn merge<'a>(input: &MergeInput<'a>, elements: impl Fn(&'a [u8]) -> Vec<RowElement<'a>>) -> MergeOutput {
    if let Some(bytes) = input.trivial() {
        return MergeOutput::without_conflicts(bytes);
    }
    let [base, ours, theirs] = [input.base, input.ours, input.theirs].map(|text| numbered(elements(text)));
    let mut output = MergeOutput::default();
    for resolution in ThreeWay::new(&base, &ours, &theirs).merge(by_time) {
        match resolution {
            Resolution::Keep(element) => output.push_line(element.bytes),
            Resolution::Conflict(ours, theirs) => output.push_conflict(bytes(ours), bytes(theirs)),
            Resolution::Drop => {}
        }
    }
    output
}

fn bytes(element: Option<RowElement<'_>>) -> &[u8] {
    element.map(|element| element.bytes).unwrap_or_default()
}

/// Numbers elements with equal hashes, which are separate elements.
fn numbered(mut elements: Vec<RowElement<'_>>) -> Vec<RowElement<'_>> {
    let mut seen: HashMap<u128, u32> = HashMap::with_capacity(elements.len());
    for element in &mut elements {
        let count = seen.entry(element.key.hash).or_default();
        element.key.ordinal = *count;
        *count += 1;
    }
    elements
}

/// Merges two runs by time, each in its own order. The result does not depend on which side is ours.
fn by_time<'a>(
    ours: Vec<Resolution<RowElement<'a>>>,
    theirs: Vec<Resolution<RowElement<'a>>>,
) -> Vec<Resolution<RowElement<'a>>> {
    let mut out = Vec::with_capacity(ours.len() + theirs.len());
    let mut ours = VecDeque::from(ours);
    let mut theirs = VecDeque::from(theirs);
    while let (Some(our), Some(their)) = (ours.front(), theirs.front()) {
        let side = if sort_key(their) < sort_key(our) { &mut theirs } else { &mut ours };
        out.extend(side.pop_front());
    }
    out.extend(ours);
    out.extend(theirs);
    out
}

fn sort_key<'a>(resolution: &Resolution<RowElement<'a>>) -> (Option<Timestamp>, &'a [u8]) {
    match resolution {
        Resolution::Keep(element)
        | Resolution::Conflict(Some(element), _)
        | Resolution::Conflict(None, Some(element)) => (element.at, element.bytes),
        Resolution::Conflict(None, None) | Resolution::Drop => (None, b""),
    }
}
