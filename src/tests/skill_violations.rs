//! Every violation of the built-in schema in a skill's frontmatter is reported by exactly one rule.

use canonry_lint::Finding;
use canonry_lint::check;
use canonry_model::canon::inventory::Inventory;
use canonry_model::canon::schema::{Schemas, Violation};
use canonry_model::canon::skill::Skill;
use canonry_model::canon::{Blob, FileMode, Layout, TreeEntry};
use canonry_text::{RepoPath, Span};
use proptest::prelude::*;

const KEYS: [&str; 9] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools", "model", "triggers", "reviewer"];

fn skill(frontmatter: &str) -> Skill {
    let path = RepoPath::from("release-notes/SKILL.md");
    let entries = [TreeEntry { path, mode: FileMode::File }];
    let folder = Inventory::from_entries(&entries, &Layout::default()).skills.remove(0);
    let text = format!("---\n{frontmatter}---\n# Release notes\n");
    Skill::parse(folder, Vec::new(), Blob::Bytes(text.into_bytes()), &Schemas::default())
}

/// Where a violation may be reported: at its own location, or at one of its parent keys.
fn locations(skill: &Skill, violation: &Violation) -> Vec<Span> {
    let mut locations = vec![violation.span];
    let root = skill.front().unwrap().root().unwrap();
    let ends = violation.pointer.match_indices('/').map(|(at, _)| at).skip(1).chain([violation.pointer.len()]);
    locations.extend(ends.filter_map(|end| root.at_pointer(&violation.pointer[..end])?.1));
    locations
}

fn reports(skill: &Skill, draft: &Finding, violation: &Violation) -> bool {
    let names_key = violation.key.as_deref().is_none_or(|key| draft.message.contains(&format!("`{key}`")));
    names_key && locations(skill, violation).contains(&draft.location.span)
}

fn value() -> impl Strategy<Value = String> {
    let fixed = [
        "",
        "~",
        "\"\"",
        "'  '",
        "2024",
        "1.0",
        "true",
        "[a, b]",
        "[]",
        "{a: b}",
        "{}",
        "{a: [b]}",
        "{a: {b: c}}",
        "release-notes",
        "Formats notes.",
        "{a: 1, b: [c], d/e: [f], ~g: {h: i}}",
        "\"\\uFEFF\"",
        "\"\\u0085\"",
    ];
    let long = [64_usize, 65, 500, 501, 1024, 1025].map(|count| "é".repeat(count));
    let all: Vec<String> = fixed.iter().map(|text| (*text).to_owned()).chain(long).collect();
    prop::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(canonry_testing::cases(200)))]
    #[test]
    fn every_violation_is_reported(values in prop::collection::vec(prop::option::of(value()), KEYS.len())) {
        let lines = KEYS.iter().zip(&values).filter_map(|(key, value)| Some(format!("{key}: {}\n", value.as_ref()?)));
        let frontmatter: String = lines.collect();
        let skill = skill(&frontmatter);
        let drafts = check(&skill);
        for violation in skill.violations() {
            let said = drafts.iter().any(|draft| reports(&skill, draft, violation));
            prop_assert!(said, "{violation:?}\n{frontmatter}");
        }
        for (index, draft) in drafts.iter().enumerate() {
            let rule = draft.rule.id;
            let again = |twin: &Finding| {
                twin.rule.id == rule && twin.location.span == draft.location.span && twin.message == draft.message
            };
            prop_assert!(!drafts[index + 1..].iter().any(again), "{rule} twice\n{frontmatter}");
        }
    }
}

#[test]
fn an_empty_frontmatter_is_missing_both_required_keys() {
    for frontmatter in ["", "# a comment\n", "{}\n", "null\n"] {
        let rules: Vec<&str> = check(&skill(frontmatter)).into_iter().map(|finding| finding.rule.id).collect();
        assert_eq!(rules, ["skill-schema", "skill-schema"], "{frontmatter:?}");
    }
}
