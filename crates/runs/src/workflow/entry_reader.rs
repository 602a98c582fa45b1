//! Reads journal entries. serde buffers whole entries of a tagged enum, which takes most of the time of a long journal, so
//! the five events that make up nearly all of it are read directly, in one pass.

use super::event::{Destination, JournalEntry, RunEvent, StepOutcome, TaskEnd, TaskOutcome, TaskRole};
use canonry_model::canon::worker_usage::WorkerUsage;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// The keys of the common events.
#[derive(Deserialize)]
struct CommonLine<'t> {
    seq: u64,
    at: String,
    #[serde(borrow)]
    event: Cow<'t, str>,
    step: Option<String>,
    visit: Option<u64>,
    number: Option<u64>,
    attempt: Option<u64>,
    role: Option<TaskRole>,
    owner: Option<String>,
    branch: Option<String>,
    worker: Option<String>,
    result: Option<TaskOutcome>,
    output: Option<Value>,
    #[serde(default)]
    answer: String,
    error: Option<String>,
    until: Option<String>,
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    usage: WorkerUsage,
    outcome: Option<StepOutcome>,
    task: Option<u64>,
    #[serde(default)]
    keywords: Vec<String>,
    reason: Option<String>,
    next: Option<Destination>,
}

/// Reads the entry on one line.
///
/// # Errors
/// The line is no entry.
pub fn read_entry(line: &[u8]) -> Result<JournalEntry, serde_json::Error> {
    let common = serde_json::from_slice(line).ok().and_then(CommonLine::into_entry);
    common.map_or_else(|| serde_json::from_slice(line), Ok)
}

impl CommonLine<'_> {
    /// The entry; `None` if it is of another kind, or something is missing.
    fn into_entry(self) -> Option<JournalEntry> {
        let event = match &*self.event {
            "step_started" => RunEvent::StepStarted { step: self.step?, visit: self.visit? },
            "task_started" => RunEvent::TaskStarted {
                number: self.number?,
                step: self.step?,
                attempt: self.attempt?,
                role: self.role?,
                owner: self.owner,
                branch: self.branch,
                worker: self.worker,
            },
            "worker_started" => RunEvent::WorkerStarted { number: self.number?, worker: self.worker? },
            "task_ended" => RunEvent::TaskEnded {
                number: self.number?,
                end: TaskEnd {
                    result: self.result?,
                    output: self.output,
                    answer: self.answer,
                    error: self.error,
                    until: self.until,
                    seconds: self.seconds,
                    usage: self.usage,
                },
            },
            "step_ended" => RunEvent::StepEnded {
                step: self.step?,
                visit: self.visit?,
                outcome: self.outcome?,
                output: self.output,
                task: self.task,
                keywords: self.keywords,
                reason: self.reason,
                next: self.next?,
            },
            _ => return None,
        };
        Some(JournalEntry { seq: self.seq, at: self.at, event })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_read_as_serde_reads_it() {
        for event in [
            r#""event":"step_started","step":"a","visit":2"#,
            r#""event":"task_started","number":3,"step":"a \"b\"","attempt":1,"role":"step","owner":"X""#,
            r#""event":"task_started","number":3,"step":"a","attempt":1,"role":{"candidate":2}"#,
            r#""event":"task_started","number":3,"step":"a","attempt":1,"role":{"child":0},"owner":null"#,
            r#""event":"task_started","number":3,"step":"a","attempt":1,"role":{"candidate":2},"branch":"canonry/run-r/a.3""#,
            r#""event":"candidates_settled","step":"a","attempt":1,"task":3,"commit":"c","kept":["b"]"#,
            r#""event":"worker_started","number":3,"worker":"7:abc""#,
            r#""event":"task_ended","number":3,"result":"done","output":{"passed":true},"answer":"x\ny","seconds":1.5,"usage":{"input_tokens":5,"cost_usd":0.5}"#,
            r#""event":"task_ended","number":3,"result":"failed","error":"e""#,
            r#""event":"task_ended","number":3,"result":"limit","until":"2026-05-01T12:00:00Z""#,
            r#""event":"step_ended","step":"a","visit":1,"outcome":"done","output":[1],"task":3,"keywords":["K"],"reason":"r","next":{"step":"b"}"#,
            r#""event":"step_ended","step":"a","visit":1,"outcome":"rejected","next":"person""#,
            r#""event":"run_ended","end":"complete""#,
            r#""event":"note","text":"t""#,
            r#""event":"iteration_started","iteration":2"#,
            // Damaged ones.
            r#""event":"step_started","step":"a""#,
            r#""event":"step_started","step":3,"visit":1"#,
            r#""event":"task_ended","number":3,"result":"no""#,
            r#""event":"unknown""#,
            r#""text":"t""#,
        ] {
            for line in [format!(r#"{{"seq":4,"at":"t\u0031",{event}}}"#), format!(r#"{{{event},"at":"t","seq":4}}"#)] {
                let slow = serde_json::from_str::<JournalEntry>(&line);
                let fast = read_entry(line.as_bytes());
                assert_eq!(fast.is_ok(), slow.is_ok(), "{line}");
                assert_eq!(fast.ok(), slow.ok(), "{line}");
            }
        }
    }
}
