//! Permissions of Codex: rules for commands in files of their own. Those for MCP tools are options of the servers.

use super::entry::{EntryMeaning, ToolPermissions};
use canonry_model::canon::permissions::{PermissionSubject, Verdict};
use serde_json::json;

/// `None` for what needs no rule: Codex runs an allowed command outside of its sandbox, with any options (`git log --output=F`
/// then writes anywhere), and runs a command without a rule inside of it.
/// <https://github.com/openai/codex/blob/rust-v0.169.0/codex-rs/core/src/exec_policy.rs>
pub(super) fn decision_word(decision: Verdict) -> Option<&'static str> {
    match decision {
        Verdict::Allow | Verdict::Unlisted => None,
        Verdict::Ask => Some("prompt"),
        Verdict::Deny => Some("forbidden"),
    }
}

/// Only commands that are restricted. If several rules match, Codex uses the strictest.
pub(super) fn rules(decisions: &[(Verdict, PermissionSubject)]) -> String {
    let rule = |(decision, subject): &(Verdict, PermissionSubject)| {
        let PermissionSubject::Command(words) = subject else { return None };
        let word = decision_word(*decision)?;
        let words: Vec<String> = words.iter().map(|word| json!(word).to_string()).collect();
        Some(format!("prefix_rule(pattern=[{}], decision=\"{word}\")\n", words.join(", ")))
    };
    decisions.iter().filter_map(rule).collect()
}

/// Parses a file of rules, which is a small language: only rules in one line with plain words have a meaning.
pub fn parse_rules(text: &str) -> ToolPermissions {
    let mut found = ToolPermissions::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match prefix_rule(line) {
            Some((decision, words)) => {
                let meaning = EntryMeaning::Subject(PermissionSubject::Command(words));
                found.add(decision, Some(meaning), line);
            }
            None => match rule_decision(line) {
                Some(decision) => found.add(decision, None, line),
                None => found.add_setting(line.to_owned()),
            },
        }
    }
    found
}

fn prefix_rule(line: &str) -> Option<(Verdict, Vec<String>)> {
    let inside = line.strip_prefix("prefix_rule(")?.strip_suffix(')')?;
    let (pattern, rest) = inside.strip_prefix("pattern")?.trim_start().strip_prefix('=')?.split_once(']')?;
    let words: Vec<String> = serde_json::from_str(&format!("{}]", pattern.trim())).ok()?;
    let decision = rest.trim_start_matches([',', ' ']).strip_prefix("decision")?.trim_start().strip_prefix('=')?;
    let decision = match decision.trim().trim_end_matches(',').trim_matches('"') {
        "allow" => Verdict::Allow,
        "prompt" => Verdict::Ask,
        "forbidden" => Verdict::Deny,
        _ => return None,
    };
    Some((decision, words))
}

/// The decision of a rule that is otherwise not understood. Codex allows if the rule does not say.
fn rule_decision(line: &str) -> Option<Verdict> {
    if !line.starts_with("prefix_rule(") {
        None
    } else if line.contains("\"forbidden\"") {
        Some(Verdict::Deny)
    } else if line.contains("\"prompt\"") {
        Some(Verdict::Ask)
    } else {
        Some(Verdict::Allow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codex_rules_are_read_if_they_are_plain() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        for (line, want) in [
            (
                r#"prefix_rule(pattern=["git", "push"], decision="prompt")"#,
                Some((Verdict::Ask, words(&["git", "push"]))),
            ),
            (r#"prefix_rule(pattern = ["rm"], decision = "forbidden",)"#, Some((Verdict::Deny, words(&["rm"])))),
            (r#"prefix_rule(pattern=["a", ["b", "c"]], decision="allow")"#, None),
            (r#"prefix_rule(pattern=["a"], decision="allow", match=["a"])"#, None),
            ("prefix_rule(", None),
        ] {
            assert_eq!(prefix_rule(line), want, "{line}");
        }
    }
}
