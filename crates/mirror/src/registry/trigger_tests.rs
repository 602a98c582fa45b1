//! Trigger tests: a prompt, the skill that must fire, and skills that must not.

use super::entry::ManifestEntry;
use super::lists::render_xml;
use super::matching::{SearchableSkill, SkillMatch, match_skills};
use canonry_model::canon::benchmark::{ExpectedSkills, TriggerTest};
use std::collections::BTreeSet;

/// The share of a prompt's words from which on a skill without a matching trigger fires.
const FIRING_SHARE: f64 = 0.5;

/// The result of a trigger test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriggerResult {
    /// The skills that were chosen, the best first.
    pub chosen: Vec<String>,
    /// Why the test fails; empty if it passes.
    pub misses: Vec<String>,
}

/// Tests the matching of skills. An expected skill must be among the first `top`; a skill that must not fire fails the test
/// if it is among them and one of its triggers, or half of the prompt's words, occur.
pub fn test_matching(test: &TriggerTest, skills: &[SearchableSkill], top: usize) -> TriggerResult {
    let matches = match_skills(skills, &test.prompt);
    let first: Vec<&SkillMatch<'_>> = matches.iter().take(top).collect();
    let mut misses = Vec::new();
    match &test.expect {
        Some(ExpectedSkills::OneOf(skills)) => {
            let is_expected = |found: &SkillMatch<'_>| skills.iter().any(|skill| is_named(found.entry, &skill.text));
            if !first.iter().any(|found| is_expected(found)) {
                misses.push(missed(skills.iter().map(|skill| skill.text.as_str()), &matches, is_expected));
            }
        }
        Some(ExpectedSkills::NoSkill) => {
            misses.extend(
                first.iter().filter_map(|found| Some(format!("`{}` fires: {}", found.entry.name, why(found)?))),
            );
        }
        None => {}
    }
    for skill in &test.never {
        let found = first.iter().find(|found| is_named(found.entry, &skill.text));
        if let Some(reason) = found.and_then(|found| why(found)) {
            misses.push(format!("`{}` fires: {reason}", skill.text));
        }
    }
    misses.dedup();
    let chosen = first.iter().filter(|found| test.expects_a_skill() || why(found).is_some());
    TriggerResult { chosen: chosen.map(|found| found.entry.name.clone()).collect(), misses }
}

/// Tests the skills that a tool chose for the prompt.
pub fn test_answer(test: &TriggerTest, entries: &[ManifestEntry], chosen: Vec<String>) -> TriggerResult {
    // A tool may give the name of the skill or that of its folder.
    let same = |chosen: &str, skill: &str| {
        chosen == skill || entries.iter().any(|entry| is_named(entry, chosen) && is_named(entry, skill))
    };
    let is_chosen = |skill: &str| chosen.iter().any(|chosen| same(chosen, skill));
    let mut misses = Vec::new();
    match &test.expect {
        Some(ExpectedSkills::OneOf(skills)) if !skills.iter().any(|skill| is_chosen(&skill.text)) => {
            let wanted: Vec<String> = skills.iter().map(|skill| format!("`{}`", skill.text)).collect();
            misses.push(format!("{} not chosen", wanted.join(" or ")));
        }
        Some(ExpectedSkills::NoSkill) => misses.extend(chosen.iter().map(|skill| format!("`{skill}` chosen"))),
        _ => {}
    }
    misses.extend(
        test.never.iter().filter(|skill| is_chosen(&skill.text)).map(|skill| format!("`{}` chosen", skill.text)),
    );
    misses.dedup();
    TriggerResult { chosen, misses }
}

/// Asks a tool which skill it would use.
pub fn trigger_prompt(test: &TriggerTest, entries: &[ManifestEntry]) -> String {
    format!(
        "{}\nWhich of these skills would you use for the request below? Do not carry the request out. Answer with the name of the \
         skill on a line of its own, or with `none`.\n\nRequest:\n\n{}\n",
        render_xml(entries),
        test.prompt.trim_end()
    )
}

/// The skills that an answer names: the known names among its words, from the last line that has any. `none` is no skill.
pub fn skills_in_answer(answer: &str, entries: &[ManifestEntry]) -> Vec<String> {
    let in_line = |line: &str| {
        let words: BTreeSet<&str> = line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).collect();
        let named = entries.iter().filter(|entry| words.iter().any(|word| is_named(entry, word)));
        let names: Vec<String> = named.map(|entry| entry.name.clone()).collect();
        (!names.is_empty() || words.contains("none")).then_some(names)
    };
    answer.lines().rev().find_map(in_line).unwrap_or_default()
}

/// Why a skill fires; `None` if it does not.
fn why(found: &SkillMatch<'_>) -> Option<String> {
    match found.score.triggers.first() {
        Some(trigger) => Some(format!("its trigger `{trigger}` occurs")),
        None if found.score.word_share >= FIRING_SHARE => {
            Some(format!("{:.0} % of the words occur in its description", found.score.word_share * 100.0))
        }
        None => None,
    }
}

fn missed<'a>(
    wanted: impl Iterator<Item = &'a str>,
    matches: &[SkillMatch<'_>],
    is_expected: impl Fn(&SkillMatch<'_>) -> bool,
) -> String {
    let wanted = wanted.map(|skill| format!("`{skill}`")).collect::<Vec<_>>().join(" or ");
    match (matches.iter().position(is_expected), matches.first()) {
        (Some(at), Some(first)) => format!("{wanted} is number {}, after `{}`", at + 1, first.entry.name),
        (_, Some(first)) => format!("{wanted} does not match; `{}` is first", first.entry.name),
        (_, None) => format!("{wanted} does not match"),
    }
}

/// Whether a skill or its folder has this name.
fn is_named(entry: &ManifestEntry, name: &str) -> bool {
    let folder = entry.path.rsplit('/').nth(1);
    entry.name == name || folder == Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::Span;
    use canonry_text::node::SpannedText;

    fn entries() -> Vec<ManifestEntry> {
        let entry = |name: &str, description: &str, trigger: &str| ManifestEntry {
            name: name.to_owned(),
            path: format!("agent/skills/{name}/SKILL.md"),
            description: description.to_owned(),
            triggers: vec![trigger.to_owned()],
            ..ManifestEntry::default()
        };
        vec![
            entry("deploy-check", "Checks a deployment before traffic moves.", "ship it"),
            entry("release-notes", "Drafts release notes from merged changes.", "changelog"),
        ]
    }

    fn searchable() -> Vec<SearchableSkill> {
        entries().into_iter().map(|entry| SearchableSkill { entry, body: String::new() }).collect()
    }

    fn skills(names: &[&str]) -> Vec<SpannedText> {
        names.iter().map(|name| SpannedText { text: (*name).to_owned(), span: Span::new(0, 0) }).collect()
    }

    fn test(prompt: &str, expect: &[&str], never: &[&str]) -> TriggerTest {
        let expect = match expect {
            [] => None,
            ["none"] => Some(ExpectedSkills::NoSkill),
            names => Some(ExpectedSkills::OneOf(skills(names))),
        };
        TriggerTest { prompt: prompt.to_owned(), expect, never: skills(never) }
    }

    #[test]
    fn matching_passes_or_says_why_not() {
        for (prompt, expect, never, misses) in [
            ("draft notes for the release", &["release-notes"][..], &["deploy-check"][..], &[][..]),
            ("please ship it", &["deploy-check"], &["release-notes"], &[]),
            ("traffic moves", &["release-notes"], &[], &["`release-notes` does not match; `deploy-check` is first"]),
            (
                "ship it with the release",
                &["release-notes"],
                &[],
                &["`release-notes` is number 2, after `deploy-check`"],
            ),
            ("ship it with the release", &["release-notes", "deploy-check"], &[], &[]),
            ("bake a cake", &["none"], &["deploy-check"], &[]),
            ("bake a cake", &["deploy-check"], &[], &["`deploy-check` does not match"]),
            ("please ship it", &["none"], &[], &["`deploy-check` fires: its trigger `ship it` occurs"]),
            ("please ship it", &[], &["deploy-check"], &["`deploy-check` fires: its trigger `ship it` occurs"]),
            ("traffic moves", &["none"], &[], &["`deploy-check` fires: 100 % of the words occur in its description"]),
            ("count the traffic lights in this street", &["none"], &["deploy-check"], &[]),
        ] {
            let result = test_matching(&test(prompt, expect, never), &searchable(), 1);
            assert_eq!(result.misses, misses, "{prompt}");
        }
        let second = test_matching(&test("ship it with the release", &["release-notes"], &[]), &searchable(), 2);
        assert_eq!(second.misses, Vec::<String>::new());
    }

    #[test]
    fn answers_name_skills() {
        for (answer, want) in [
            ("{\"skill\": \"release-notes\"}", &["release-notes"][..]),
            ("I considered deploy-check.\nrelease-notes\n", &["release-notes"]),
            ("none", &[]),
            ("deploy-check is for deployments.\nnone", &[]),
            ("Some other-skill", &[]),
            ("", &[]),
        ] {
            assert_eq!(skills_in_answer(answer, &entries()), want, "{answer}");
        }
    }

    #[test]
    fn answers_are_compared_with_the_test() {
        let misses = |expect: &[&str], never: &[&str], chosen: &str| {
            test_answer(&test("p", expect, never), &entries(), skills_in_answer(chosen, &entries())).misses
        };
        assert_eq!(misses(&["release-notes"], &["deploy-check"], "release-notes"), Vec::<String>::new());
        assert_eq!(
            misses(&["release-notes"], &["deploy-check"], "deploy-check"),
            ["`release-notes` not chosen", "`deploy-check` chosen"]
        );
        assert_eq!(misses(&["none"], &["deploy-check"], "deploy-check"), ["`deploy-check` chosen"]);
        assert_eq!(misses(&["none"], &[], "none"), Vec::<String>::new());
    }
}
