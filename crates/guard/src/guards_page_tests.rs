//! The page with the examples of the guards is made from the tables that the tests check.

use super::tests::{around, policy, rows_of};
use super::{ToolCall, Verdict, VerdictReason, evaluate};
use canonry_model::config::HooksConfig;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const COMMANDS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/protocol/guards.tsv"));
const CALLS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/protocol/calls.tsv"));
const NOTE: &str = "<!-- Generated from fixtures/protocol by `cargo xtask docs`. -->";

/// The sections of the page, by the name of the guard.
type GuardSections = BTreeMap<String, Vec<(Verdict, String)>>;

/// Returns the name of the guard that decides, a built-in one first.
fn guard(reasons: &[VerdictReason]) -> String {
    let deciding =
        || reasons.iter().filter(|reason| Some(reason.verdict) == reasons.first().map(|first| first.verdict));
    let own = deciding().find(|reason| reason.rule.starts_with("canonry"));
    let rule = own.or_else(|| reasons.first()).map_or("", |reason| reason.rule.as_str());
    rule.strip_prefix("canonry's guard `")
        .and_then(|name| name.strip_suffix('`'))
        .unwrap_or(match rule {
            "approved domains" => "approved domains",
            "hooks.unreadable" => "unreadable commands",
            _ => "permissions.md and tool schemas",
        })
        .to_owned()
}

fn add(sections: &mut GuardSections, call: &ToolCall, shown: String) {
    let verdict = evaluate(call, &policy(HooksConfig::default()), &around());
    let part = verdict.parts.iter().find(|part| part.verdict == verdict.verdict);
    let name = match part {
        Some(part) if verdict.verdict >= Verdict::Ask => guard(&part.reasons),
        _ => "not decided".to_owned(),
    };
    sections.entry(name).or_default().push((verdict.verdict, shown));
}

fn code(text: &str) -> String {
    let line = text.replace('\n', "\\n").replace('|', "\\|");
    if line.contains('`') { format!("`` {line} ``") } else { format!("`{line}`") }
}

fn page() -> String {
    let mut sections = GuardSections::new();
    for (_, command) in rows_of(COMMANDS) {
        let call = ToolCall::Shell { command: command.clone(), cwd: None };
        add(&mut sections, &call, code(&command));
    }
    for row in CALLS.lines() {
        let mut fields = row.splitn(3, '\t').skip(1);
        let name = fields.next().unwrap();
        let args = fields.next().unwrap();
        let call = ToolCall::from_name_and_args(name, &serde_json::from_str(args).unwrap());
        add(&mut sections, &call, format!("{name} {}", code(args)));
    }
    let undecided = sections.remove("not decided").unwrap();
    let mut page = format!(
        "{NOTE}\n\n# What the guards decide\n\nExamples for each guard, which the tests check: commands, and calls of other tools with their arguments. They are\n\
         made in a repository `/srv/repo` whose `permissions.md` approves `docs.rs`, `crates.io` and `github.com`.\n\
         [Protocols](protocols.md) explains the guards, and [what they do not cover](protocols.md#coverage).\n"
    );
    for (name, rows) in &sections {
        write!(page, "\n## {name}\n\n| verdict | call |\n|---|---|\n").unwrap();
        for verdict in [Verdict::Deny, Verdict::Ask] {
            for (_, shown) in rows.iter().filter(|(own, _)| *own == verdict) {
                writeln!(page, "| {} | {shown} |", verdict.as_str()).unwrap();
            }
        }
    }
    page.push_str("\n## Calls that no guard stops\n\n| call |\n|---|\n");
    for (_, shown) in undecided {
        writeln!(page, "| {shown} |").unwrap();
    }
    page
}

#[test]
fn generated_guards_page_is_current() {
    canonry_testing::generated::assert_current("docs/reference/guards.md", &page());
}

#[test]
fn every_guard_has_examples() {
    let page = page();
    for name in [
        "delete-root",
        "device-write",
        "pipe-to-shell",
        "secret-read",
        "force-push",
        "protected-file",
        "approved domains",
    ] {
        let section = page.split("\n## ").find(|section| section.starts_with(name)).unwrap_or_default();
        assert!(section.contains("\n| deny |") || section.contains("\n| ask |"), "{name}");
    }
}
