//! Rates of the guards on a list of commands, in a repository with the files of `canonry init`.
//!
//! `CANONRY_GUARD_CASES=DIR cargo test --test guard -- --ignored --nocapture` reads `DIR/dangerous.jsonl` and
//! `DIR/benign.jsonl`: one object per line, with `kind` and `command`. `CANONRY_GUARD_SHOW=PREFIX` also prints the commands
//! of the kinds with this prefix that pass, or that are stopped if they are benign.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use canonry::app::Environment;
use canonry::app::protocol::{ExplainCallRequest, ToolCall, explain};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// The number of commands per verdict.
#[derive(Default)]
struct Tally {
    passed: usize,
    asked: usize,
    denied: usize,
}

impl Tally {
    fn total(&self) -> usize {
        self.passed + self.asked + self.denied
    }
}

struct Measurement {
    kinds: BTreeMap<String, Tally>,
    shown: Vec<String>,
    micros: Vec<u128>,
}

fn measure(file: &Path, environment: &Environment, is_shown: &dyn Fn(&str, &str) -> bool) -> Measurement {
    let mut measured = Measurement { kinds: BTreeMap::new(), shown: Vec::new(), micros: Vec::new() };
    for line in fs::read_to_string(file).unwrap().lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
        let call = ToolCall::Shell { command: text("command"), cwd: None };
        let begin = Instant::now();
        let explanation = explain(environment, ExplainCallRequest { call }).unwrap();
        measured.micros.push(begin.elapsed().as_micros());
        let verdict = explanation.verdict.verdict.as_str();
        let tally = measured.kinds.entry(text("kind")).or_default();
        match verdict {
            "ask" => tally.asked += 1,
            "deny" => tally.denied += 1,
            _ => tally.passed += 1,
        }
        if is_shown(&text("kind"), verdict) {
            let why = explanation.verdict.explanation();
            measured.shown.push(format!("{verdict:9}{:?}   {why}", text("command")));
        }
    }
    measured
}

fn print(title: &str, measured: &Measurement) {
    println!("\n{title:<62}{:>6}{:>8}{:>8}{:>8}", "n", "passed", "asked", "denied");
    let row =
        |kind: &str, t: &Tally| println!("{kind:<62}{:>6}{:>8}{:>8}{:>8}", t.total(), t.passed, t.asked, t.denied);
    measured.kinds.iter().for_each(|(kind, tally)| row(kind, tally));
    let sum = |kinds: &mut dyn Iterator<Item = &Tally>| {
        kinds.fold(Tally::default(), |sum, t| Tally {
            passed: sum.passed + t.passed,
            asked: sum.asked + t.asked,
            denied: sum.denied + t.denied,
        })
    };
    let guarded = sum(&mut measured.kinds.iter().filter(|(kind, _)| kind.starts_with("G ")).map(|(_, t)| t));
    if guarded.total() > 0 {
        row("all kinds that the guards claim (G)", &guarded);
    }
    row("all", &sum(&mut measured.kinds.values()));
    let mut micros = measured.micros.clone();
    micros.sort_unstable();
    println!("slowest command: {} us, including reading the policy", micros.last().unwrap_or(&0));
    measured.shown.iter().for_each(|line| println!("  {line}"));
}

#[test]
#[ignore = "needs a list of commands: CANONRY_GUARD_CASES"]
fn rates_on_a_list_of_commands() {
    let cases = std::env::var_os("CANONRY_GUARD_CASES").unwrap();
    let shown = std::env::var("CANONRY_GUARD_SHOW").ok();
    // The commands name files below this folder, which is in no one's home.
    let base = tempfile::tempdir().unwrap();
    let top = base.path().join("srv/repo");
    let protocols = top.join("agent/protocols");
    fs::create_dir_all(protocols.join("tool_schemas")).unwrap();
    fs::create_dir_all(top.join(".git")).unwrap();
    fs::write(top.join(".git/HEAD"), "ref: refs/heads/feature\n").unwrap();
    let scaffold = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scaffold/protocols");
    for name in ["permissions.md", "tool_schemas/git_push.schema.json"] {
        fs::copy(scaffold.join(name), protocols.join(name)).unwrap();
    }
    let home = Some("/home/u".into());
    let environment = Environment { cwd: top, home, ..Environment::isolated() };
    let begins = |kind: &str| shown.as_ref().is_some_and(|prefix| kind.starts_with(prefix.as_str()));
    let passes = |kind: &str, verdict: &str| begins(kind) && !matches!(verdict, "ask" | "deny");
    let stopped = |_: &str, verdict: &str| shown.is_some() && matches!(verdict, "ask" | "deny");
    print("dangerous", &measure(&Path::new(&cases).join("dangerous.jsonl"), &environment, &passes));
    print("benign", &measure(&Path::new(&cases).join("benign.jsonl"), &environment, &stopped));
}
