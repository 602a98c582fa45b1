//! Output of `protocol list` and `protocol test`.

use super::excerpt::escape_line;
use canonry_app::protocol_list::{ListedEntry, ListedPack, ProtocolList};
use canonry_app::protocol_test::TestOutcome;
use serde_json::{Map, Value, json};

/// The entries for people.
pub fn human(outcome: &ProtocolList) -> String {
    let mut text = String::new();
    for entry in &outcome.entries {
        text.push_str(&format!("{}:{}  {}: {}\n", entry.path, entry.line, entry.section, entry.text));
        if let Some(origin) = &entry.origin {
            text.push_str(&format!("    from      {}\n", escape_line(origin)));
        }
        for hook in &entry.hook {
            text.push_str(&format!("    hook      {hook}\n"));
        }
        for part in &entry.unenforced {
            text.push_str(&format!("    unbound   {part}\n"));
        }
        if entry.hook.is_empty() {
            text.push_str("    nothing\n");
            continue;
        }
        for (tool, rules) in entry.tools.iter().filter(|(_, rules)| !rules.is_empty()) {
            text.push_str(&format!("    {tool:<9} {}\n", rules.join(", ")));
        }
        let without: Vec<&str> =
            entry.tools.iter().filter(|(_, rules)| rules.is_empty()).map(|(tool, _)| *tool).collect();
        if !without.is_empty() {
            text.push_str(&format!("    nothing   in {}\n", without.join(", ")));
        }
    }
    for problem in &outcome.problems {
        text.push_str(&format!("skipped   {problem}\n"));
    }
    let unbound = outcome.entries.iter().filter(|entry| entry.hook.is_empty()).count();
    let count = outcome.entries.len();
    text.push_str(&format!("{count} entries, {unbound} of them without effect.\n"));
    text
}

/// `canonry/protocols/v1`
pub fn json(outcome: &ProtocolList) -> String {
    let entry = |entry: &ListedEntry| {
        let tools: Map<String, Value> =
            entry.tools.iter().map(|(tool, rules)| ((*tool).to_owned(), json!(rules))).collect();
        json!({
            "path": entry.path,
            "line": entry.line,
            "section": entry.section,
            "text": entry.text,
            "hook": entry.hook,
            "unbound": entry.unenforced,
            "tools": tools,
        })
    };
    let entries: Vec<Value> = outcome.entries.iter().map(entry).collect();
    let document = json!({"schema": "canonry/protocols/v1", "entries": entries, "troubles": outcome.problems});
    format!("{document:#}\n")
}

/// The packs for people.
pub fn packs_human(packs: &[ListedPack]) -> String {
    let mut text = String::new();
    for ListedPack { pack, is_on, rules } in packs {
        let state = if *is_on { "on" } else { "off" };
        text.push_str(&format!("{} ({state}, {} rules)\n", pack.name(), rules.len()));
        for rule in rules {
            let instead =
                if rule.alternative.is_empty() { String::new() } else { format!("; instead: {}", rule.alternative) };
            text.push_str(&format!(
                "    {:<5} {}\n          {}{instead}\n",
                rule.verdict.as_str(),
                rule.pattern,
                rule.reason
            ));
        }
    }
    text.push_str("Switch packs on with `hooks: {packs: [databases, ...]}` in the config.\n");
    text
}

/// `canonry/packs/v1`
pub fn packs_json(packs: &[ListedPack]) -> String {
    let pack = |listed: &ListedPack| {
        let rules = listed.rules.iter().map(|rule| {
            json!({"verdict": rule.verdict.as_str(), "pattern": rule.pattern, "reason": rule.reason, "alternative": rule.alternative})
        });
        json!({"name": listed.pack.name(), "on": listed.is_on, "rules": rules.collect::<Vec<_>>()})
    };
    let document = json!({"schema": "canonry/packs/v1", "packs": packs.iter().map(pack).collect::<Vec<_>>()});
    format!("{document:#}\n")
}

/// The result of a table for people.
pub fn test_human(outcome: &TestOutcome) -> String {
    let mut text = String::new();
    for failure in &outcome.failures {
        let command = failure.command.replace('\n', "\\n");
        let expected = &failure.expected;
        let actual = failure.actual.as_str();
        text.push_str(&format!("{}:{}: `{command}` is {actual}, not {expected}\n", outcome.file, failure.line));
        if !failure.explanation.is_empty() {
            text.push_str(&format!("    {}\n", failure.explanation));
        }
    }
    for problem in &outcome.problems {
        text.push_str(&format!("skipped   {problem}\n"));
    }
    let failed = outcome.failures.len();
    text.push_str(&match failed {
        0 => format!("{} commands have the expected verdict.\n", outcome.count),
        failed => format!("{failed} of {} commands have another verdict.\n", outcome.count),
    });
    text
}

/// `canonry/protocol-test/v1`
pub fn test_json(outcome: &TestOutcome) -> String {
    let failures = outcome.failures.iter().map(|failure| {
        json!({
            "line": failure.line,
            "command": failure.command,
            "expected": failure.expected,
            "actual": failure.actual.as_str(),
            "explanation": failure.explanation,
        })
    });
    let document = json!({
        "schema": "canonry/protocol-test/v1",
        "file": outcome.file,
        "commands": outcome.count,
        "failures": failures.collect::<Vec<_>>(),
        "troubles": outcome.problems,
    });
    format!("{document:#}\n")
}
