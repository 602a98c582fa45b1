//! Reads journal entries. serde buffers whole entries of a tagged enum, which takes most of the time of a long journal, so
//! the five events that make up nearly all of it are read directly.

use super::event::{Destination, JournalEntry, RunEvent, StepOutcome, TaskEnd, TaskOutcome, TaskRole};
use crate::canon::worker_usage::WorkerUsage;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// What every entry has.
#[derive(Deserialize)]
struct Head<'t> {
    seq: u64,
    #[serde(borrow)]
    at: Cow<'t, str>,
    #[serde(borrow)]
    event: Cow<'t, str>,
}

#[derive(Deserialize)]
struct StepStarted {
    step: String,
    visit: u64,
}

#[derive(Deserialize)]
struct TaskStarted {
    number: u64,
    step: String,
    attempt: u64,
    role: TaskRole,
    #[serde(default)]
    owner: Option<String>,
}

#[derive(Deserialize)]
struct WorkerStarted {
    number: u64,
    worker: String,
}

#[derive(Deserialize)]
struct TaskEnded {
    number: u64,
    result: TaskOutcome,
    #[serde(default)]
    output: Option<Value>,
    #[serde(default)]
    answer: String,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    until: Option<String>,
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    usage: WorkerUsage,
}

#[derive(Deserialize)]
struct StepEnded {
    step: String,
    visit: u64,
    outcome: StepOutcome,
    #[serde(default)]
    output: Option<Value>,
    #[serde(default)]
    task: Option<u64>,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    reason: Option<String>,
    next: Destination,
}

/// Reads the entry on one line.
///
/// # Errors
/// The line is no entry.
pub fn read_entry(line: &[u8]) -> Result<JournalEntry, serde_json::Error> {
    let Ok(head) = serde_json::from_slice::<Head<'_>>(line) else { return serde_json::from_slice(line) };
    let event = match &*head.event {
        "step_started" => {
            let StepStarted { step, visit } = serde_json::from_slice(line)?;
            RunEvent::StepStarted { step, visit }
        }
        "task_started" => {
            let TaskStarted { number, step, attempt, role, owner } = serde_json::from_slice(line)?;
            RunEvent::TaskStarted { number, step, attempt, role, owner }
        }
        "worker_started" => {
            let WorkerStarted { number, worker } = serde_json::from_slice(line)?;
            RunEvent::WorkerStarted { number, worker }
        }
        "task_ended" => {
            let TaskEnded { number, result, output, answer, error, until, seconds, usage } =
                serde_json::from_slice(line)?;
            RunEvent::TaskEnded { number, end: TaskEnd { result, output, answer, error, until, seconds, usage } }
        }
        "step_ended" => {
            let StepEnded { step, visit, outcome, output, task, keywords, reason, next } =
                serde_json::from_slice(line)?;
            RunEvent::StepEnded { step, visit, outcome, output, task, keywords, reason, next }
        }
        _ => return serde_json::from_slice(line),
    };
    Ok(JournalEntry { seq: head.seq, at: head.at.into_owned(), event })
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
