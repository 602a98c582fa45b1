//! What the hooks of tools are given.

use crate::fuzz::{fuzz, seeds, text};
use canonry::canon::Layout;
use canonry::protocol::answer::Event;
use canonry::protocol::{Call, Policy, Surroundings, Tool, Verdict, judge, outcome};
use serde_json::Value;

/// Command lines: judging never panics, and what is denied stays denied in a shell and behind another command.
#[test]
fn command_lines() {
    let table = include_str!("../../../fixtures/protocol/commands.tsv");
    let seeds: Vec<Vec<u8>> =
        table.lines().filter_map(|line| Some(line.split_once('\t')?.1.as_bytes().to_vec())).collect();
    fuzz(&seeds, 22, |bytes| {
        text(bytes, |text| {
            let mut policy = Policy::new(Layout::default(), canonry::config::Hooks::default());
            policy.permissions(include_str!("../../../fixtures/protocol/permissions.md").to_owned());
            let around = Surroundings { cwd: "/srv/repo".to_owned(), ..Surroundings::default() };
            let judged = |text: String| judge(&Call::Shell { command: text, cwd: None }, &policy, &around).verdict;
            let verdict = judged(text.to_owned());
            let plain = |c: char| c.is_ascii_alphanumeric() || " -/.:_+=".contains(c);
            let is_option = text.starts_with(['-', '+']);
            if verdict == Verdict::Deny && !is_option && text.chars().all(plain) && text.len() < 2_000 {
                for wrapped in [format!("sh -c '{text}'"), format!("true && {text}"), format!("( {text} )")] {
                    assert_eq!(judged(wrapped), Verdict::Deny);
                }
            }
        });
    });
}

/// What tools write to their hooks.
#[test]
fn events_of_hooks() {
    let seeds = seeds(&["-deny.json", "failure.json", "post-tool-failure.json", "-edit.json"]);
    fuzz(&seeds, 23, |bytes| {
        let Ok(case) = serde_json::from_slice::<Value>(bytes) else { return };
        let input = case.get("input").unwrap_or(&case);
        for tool in [Tool::Claude, Tool::Gemini, Tool::Codex, Tool::Cursor, Tool::Antigravity] {
            let Some(call) = Call::of_input(tool, input) else { continue };
            for event in [Event::PostTool, Event::Failure] {
                drop(outcome::episode(tool, &call, &outcome::Outcome::of(event, input), input));
            }
            let policy = Policy::new(Layout::default(), canonry::config::Hooks::default());
            drop(canonry::protocol::answer::ruling(tool, &judge(&call, &policy, &Surroundings::default()), true));
        }
    });
}
