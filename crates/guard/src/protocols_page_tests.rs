//! The examples in docs/reference/protocols.md have the verdicts that the page says.

use super::tests::{around, policy};
use super::{ToolCall, evaluate};
use canonry_model::config::HooksConfig;
use std::collections::BTreeSet;

const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/protocols.md"));

struct Example {
    verdict: String,
    command: String,
    guard: String,
}

/// The rows of the table of examples.
fn examples() -> Vec<Example> {
    let table =
        PAGE.split("<!-- examples: start -->\n").nth(1).unwrap().split("<!-- examples: end -->").next().unwrap();
    let row = |line: &str| {
        let line = line.replace("\\|", "\0");
        let cells: Vec<String> = line.split('|').map(|cell| cell.trim().trim_matches('`').replace('\0', "|")).collect();
        Example { verdict: cells[1].clone(), command: cells[2].clone(), guard: cells[3].clone() }
    };
    table.lines().skip(2).map(row).collect()
}

#[test]
fn the_examples_have_the_verdicts_of_the_page() {
    let policy = policy(HooksConfig::default());
    for Example { verdict, command, guard } in examples() {
        let call = ToolCall::Shell { command: command.clone(), cwd: None };
        let decided = evaluate(&call, &policy, &around());
        assert_eq!(decided.verdict.as_str(), verdict, "{command}");
        let rules = decided.parts.iter().flat_map(|part| &part.reasons).map(|reason| reason.rule.as_str());
        assert!(rules.clone().any(|rule| rule.contains(&guard)), "{command}: {:?}", rules.collect::<Vec<_>>());
    }
}

#[test]
fn every_guard_has_an_example() {
    let guards = PAGE.split("\n| guard | denies | asks |\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let guards: BTreeSet<&str> = guards.lines().skip(1).map(|line| line.split('`').nth(1).unwrap()).collect();
    assert_eq!(guards.len(), 8);
    let shown: BTreeSet<String> = examples().into_iter().map(|example| example.guard).collect();
    for guard in guards {
        assert!(shown.contains(guard), "{guard}");
    }
}
