//! The lines of a journal: reading, and repairing a last line that was torn by a crash.

use super::entry_reader::read_entry;
use super::event::{JOURNAL_SCHEMA, JournalEntry, RunEvent};
use canonry_model::canon::timestamp::Timestamp;
use canonry_text::secrets::redact;
use rayon::prelude::*;
use serde_json::Value;
use std::borrow::Cow;

/// Why a journal cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    #[error("the journal is empty")]
    Empty,
    #[error("the journal has the format `{0}`, but this canonry reads `{JOURNAL_SCHEMA}`")]
    OtherVersion(String),
    #[error("line {line} is not a journal entry: {message}")]
    Invalid { line: usize, message: String },
    #[error("line {line} has the number {found} instead of {expected}")]
    Sequence { line: usize, found: u64, expected: u64 },
}

/// The number of lines that are parsed at a time. A long journal is never in memory as a whole: getting the memory takes
/// longer than parsing.
const BATCH: usize = 512;

/// Ends a torn line. No entry contains it at its end.
const TORN: &[u8] = b"#\n";

/// Reads the lines of a journal that follow `before` entries. `each` gets the entries in order.
///
/// A torn last line that is followed by others is skipped: a later write ended it. Its content cannot be an entry.
/// Returns the length of a last line that does not end: a write was interrupted. It never counted.
///
/// # Errors
/// The journal has another version, a line is damaged, or one is missing. `each` got the entries before it.
pub fn read_lines(bytes: &[u8], before: u64, mut each: impl FnMut(JournalEntry)) -> Result<usize, JournalError> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let mut expected = before + 1;
    let mut torn: Option<JournalError> = None;
    let lines = bytes[..whole].split_inclusive(|byte| *byte == b'\n').zip(1..);
    let mut lines = lines.map(|(line, number)| (line.trim_ascii(), number)).filter(|(text, _)| !text.is_empty());
    loop {
        let batch: Vec<(&[u8], usize)> = lines.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        for ((text, number), parsed) in batch.iter().copied().zip(parse_batch(&batch)) {
            match parsed {
                Ok(entry) => {
                    // The repair of a torn line writes a note right after it.
                    if let Some(error) = torn.take().filter(|_| !matches!(entry.event, RunEvent::Note { .. })) {
                        return Err(error);
                    }
                    if entry.seq != expected {
                        return Err(JournalError::Sequence { line: number, found: entry.seq, expected });
                    }
                    if expected == 1 {
                        check_first(&entry, number)?;
                    }
                    expected += 1;
                    each(entry);
                }
                Err(error) => {
                    if let Some(version) = version_of(text).filter(|version| version != JOURNAL_SCHEMA) {
                        return Err(JournalError::OtherVersion(version));
                    }
                    // A repair can be torn, too: its note follows later, with the number that the lost lines did not use.
                    let error = JournalError::Invalid { line: number, message: error.to_string() };
                    torn = torn.or(Some(error));
                }
            }
        }
    }
    match torn {
        Some(error) if !is_torn_repair(&bytes[whole..], expected) => Err(error),
        _ => Ok(bytes.len() - whole),
    }
}

/// Whether the end of a journal is the beginning of the note that repairs the line before. Its number shows that this line
/// never counted.
fn is_torn_repair(end: &[u8], expected: u64) -> bool {
    let note = format!("{{\"seq\":{expected},");
    let common = end.len().min(note.len());
    common > 0 && end[..common] == note.as_bytes()[..common]
}

/// Parses each line; full batches in parallel.
fn parse_batch(lines: &[(&[u8], usize)]) -> Vec<serde_json::Result<JournalEntry>> {
    let parse = |(text, _): &(&[u8], usize)| read_entry(text);
    if lines.len() < BATCH {
        lines.iter().map(parse).collect()
    } else {
        lines.par_iter().with_min_len(BATCH / 4).map(parse).collect()
    }
}

fn check_first(entry: &JournalEntry, line: usize) -> Result<(), JournalError> {
    match &entry.event {
        RunEvent::RunStarted(start) if start.schema == JOURNAL_SCHEMA => Ok(()),
        RunEvent::RunStarted(start) => Err(JournalError::OtherVersion(start.schema.clone())),
        _ => Err(JournalError::Invalid { line, message: "the first entry does not start a run".to_owned() }),
    }
}

fn version_of(line: &[u8]) -> Option<String> {
    Some(serde_json::from_slice::<Value>(line).ok()?.get("schema")?.as_str()?.to_owned())
}

/// The event as it is recorded: what workers, people and templates say may contain a secret.
fn without_secrets(event: &RunEvent) -> RunEvent {
    let mut value = serde_json::to_value(event).expect("texts, numbers and JSON values have a JSON form");
    if !remove_secrets(&mut value) {
        return event.clone();
    }
    serde_json::from_value(value).expect("an event with other texts is an event")
}

/// Replaces the secrets in all texts of a value with a description. Returns whether there were any.
pub fn remove_secrets(value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            let Cow::Owned(redacted) = redact(text) else { return false };
            *text = redacted;
            true
        }
        Value::Array(items) => {
            let mut found = false;
            items.iter_mut().for_each(|item| found |= remove_secrets(item));
            found
        }
        Value::Object(object) => {
            let mut found = false;
            object.values_mut().for_each(|item| found |= remove_secrets(item));
            found
        }
        _ => false,
    }
}

/// The bytes to append for new events. A torn last line is ended, and a note says so.
pub fn lines(events: &[RunEvent], last: u64, torn: usize, at: Timestamp) -> (Vec<u8>, Vec<JournalEntry>) {
    let note = RunEvent::Note { text: format!("the last line was torn ({torn} bytes); it never counted") };
    let note = (torn > 0).then_some(&note);
    let at = at.to_string();
    let entries: Vec<JournalEntry> = note
        .into_iter()
        .chain(events)
        .zip(last + 1..)
        .map(|(event, seq)| JournalEntry { seq, at: at.clone(), event: without_secrets(event) })
        .collect();
    let mut bytes = Vec::new();
    if torn > 0 {
        // A line that lacks only its line ending would count from now on without the mark.
        bytes.extend(TORN);
    }
    for entry in &entries {
        bytes.extend(serde_json::to_vec(entry).expect("texts, numbers and JSON values have a JSON form"));
        bytes.push(b'\n');
    }
    (bytes, entries)
}

#[cfg(test)]
mod tests {
    use super::super::event::RunStart;
    use super::*;

    /// The entries, and the length of a torn line.
    fn read(bytes: &[u8]) -> Result<(Vec<JournalEntry>, usize), JournalError> {
        let mut entries = Vec::new();
        let torn = read_lines(bytes, 0, |entry| entries.push(entry))?;
        Ok((entries, torn))
    }

    fn start(schema: &str) -> RunEvent {
        RunEvent::RunStarted(RunStart { schema: schema.to_owned(), run: "r".to_owned(), ..RunStart::default() })
    }

    fn now() -> Timestamp {
        Timestamp::parse("2026-05-01T12:00:00Z").unwrap()
    }

    #[test]
    fn a_line_torn_at_any_byte_is_repaired_without_changing_a_byte() {
        let (first, _) = lines(&[start(JOURNAL_SCHEMA)], 0, 0, now());
        let (second, _) = lines(&[RunEvent::Note { text: "zwölf\nLines".to_owned() }], 1, 0, now());
        for cut in 0..second.len() {
            let mut bytes = first.clone();
            bytes.extend(&second[..cut]);
            let (entries, torn) = read(&bytes).unwrap();
            assert_eq!((entries.len(), torn), (1, cut));
            let (more, added) = lines(&[RunEvent::IterationStarted { iteration: 2, reason: None }], 1, torn, now());
            bytes.extend(more);
            let (entries, _) = read(&bytes).unwrap();
            assert_eq!(entries.len(), 1 + added.len(), "{cut}");
            assert_eq!(added.len(), if cut == 0 { 1 } else { 2 });
        }
    }

    #[test]
    fn a_long_journal_is_read_in_order_up_to_the_damage() {
        let count = 3 * BATCH + 7;
        let event = RunEvent::IterationStarted { iteration: 2, reason: None };
        let (mut all, _) = lines(&[start(JOURNAL_SCHEMA)], 0, 0, now());
        all.extend(lines(&vec![event; count - 1], 1, 0, now()).0);
        let numbers = |bytes: &[u8]| {
            let mut found = Vec::new();
            let result = read_lines(bytes, 0, |entry| found.push(entry.seq));
            (found, result)
        };
        assert_eq!(numbers(&all), ((1..=count as u64).collect(), Ok(0)));
        let ends = all.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let starts: Vec<usize> = [0].into_iter().chain(ends).collect();
        for line in [2, BATCH, BATCH + 1, 2 * BATCH, 2 * BATCH + 1, 3 * BATCH + 1, count - 1] {
            let mut damaged = all.clone();
            damaged[starts[line - 1]] = b'#';
            let (found, result) = numbers(&damaged);
            // Whether it is a torn line is known at the next one.
            assert_eq!(found, (1..line as u64).collect::<Vec<_>>(), "{line}");
            assert!(matches!(result, Err(JournalError::Invalid { line: at, .. }) if at == line), "{line}: {result:?}");
        }
    }

    #[test]
    fn a_torn_repair_is_repaired() {
        let (first, _) = lines(&[start(JOURNAL_SCHEMA)], 0, 0, now());
        let event = RunEvent::IterationStarted { iteration: 2, reason: None };
        let torn = [&first[..], b"{\"seq\":2,\"at"].concat();
        let (repair, _) = lines(std::slice::from_ref(&event), 1, 12, now());
        // Without the line ending, the first line is still the torn one.
        for cut in TORN.len() + 1..repair.iter().skip(TORN.len()).position(|byte| *byte == b'\n').unwrap() {
            let mut bytes = [&torn[..], &repair[..cut]].concat();
            let (entries, torn) = read(&bytes).unwrap();
            assert_eq!((entries.len(), torn), (1, cut - TORN.len()));
            bytes.extend(lines(std::slice::from_ref(&event), 1, torn, now()).0);
            assert_eq!(read(&bytes).unwrap().0.len(), 3, "{cut}");
        }
        // A damaged entry is not a torn one, whatever follows.
        let (second, _) = lines(std::slice::from_ref(&event), 1, 0, now());
        let (third, _) = lines(&[event], 2, 0, now());
        let damaged = [&first[..], b"#", &second[1..], &third[..20]].concat();
        assert!(matches!(read(&damaged), Err(JournalError::Invalid { line: 2, .. })));
    }

    #[test]
    fn another_version_and_damaged_lines_are_refused() {
        let (other, _) = lines(&[start("canonry/workflow-journal/v9")], 0, 0, now());
        assert_eq!(read(&other), Err(JournalError::OtherVersion("canonry/workflow-journal/v9".to_owned())));
        let (mut journal, _) = lines(&[start(JOURNAL_SCHEMA)], 0, 0, now());
        let (late, _) = lines(&[RunEvent::IterationStarted { iteration: 2, reason: None }], 2, 0, now());
        journal.extend(&late);
        assert_eq!(read(&journal), Err(JournalError::Sequence { line: 2, found: 3, expected: 2 }));
        let mut damaged = b"{\"seq\":1\n".to_vec();
        damaged.extend(lines(&[start(JOURNAL_SCHEMA)], 0, 0, now()).0);
        assert!(matches!(read(&damaged), Err(JournalError::Invalid { line: 1, .. })));
        let (later, _) = lines(&[RunEvent::IterationStarted { iteration: 2, reason: None }], 0, 0, now());
        assert!(matches!(read(&later), Err(JournalError::Invalid { line: 1, .. })));
    }
}
