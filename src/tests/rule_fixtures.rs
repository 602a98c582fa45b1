//! Every rule's fixtures, with a snapshot of what a person sees for each invalid one, and the examples of its page.

use crate::render::human::{self, Colour, Style};
use crate::tests::files::Files;
use canonry_lint::Finding;
use canonry_lint::{self as rules, Profile};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use std::path::{Path, PathBuf};

/// The rule's findings in the first profile that has any. Rules that are off in one profile are still tested.
fn findings(files: &Files, rule: &str) -> Vec<Finding> {
    let of = |profile| -> Vec<Finding> { files.findings(profile).into_iter().filter(|f| f.rule.id == rule).collect() };
    let team = of(Profile::Team);
    if team.is_empty() { of(Profile::Spec) } else { team }
}

fn fires(files: &Files, rule: &str) -> bool {
    !findings(files, rule).is_empty()
}

/// The folder with a folder for each rule.
fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules")
}

fn fixtures(rule: &str) -> Vec<PathBuf> {
    let read = std::fs::read_dir(top().join(rule)).into_iter().flatten();
    let mut found: Vec<PathBuf> = read.map(|e| e.unwrap().path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn name_of(fixture: &Path) -> String {
    fixture.file_name().unwrap().to_str().unwrap().to_owned()
}

/// Rules whose fixtures cannot be stored in git on every system; other tests cover them.
const IN_MEMORY: [(&str, &str); 2] = [
    ("mirror-skipped", "macOS cannot check out the only case without submodules, filters or unreadable files"),
    ("path-not-portable", "Windows cannot check out such names, which is the point"),
];

/// The terminal of the snapshots.
const PLAIN: Style = Style { width: 80, notice_width: None, message_width: None, colour: Colour::None };

/// Compares findings with the snapshot `<fixture>.snap` next to the fixture.
fn matches_snapshot(fixture: &Path, findings: &[Finding]) -> bool {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(fixture.parent().unwrap());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let text = human::findings(findings, PLAIN);
    let compare = || settings.bind(|| insta::assert_snapshot!(name_of(fixture), text));
    // All differences are shown, not only the first.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(compare)).is_ok()
}

/// Snapshots of fixtures that do not exist or are not invalid.
fn stale_snapshots(rule: &str) -> Vec<String> {
    let files = std::fs::read_dir(top().join(rule)).unwrap().map(|entry| entry.unwrap().path());
    let is_stale = |snapshot: &PathBuf| {
        let is_invalid = name_of(snapshot).starts_with("invalid");
        snapshot.extension().is_some_and(|ext| ext == "snap") && !(is_invalid && snapshot.with_extension("").is_dir())
    };
    files.filter(is_stale).map(|snapshot| format!("{rule}/{}", name_of(&snapshot))).collect()
}

#[test]
fn valid_fixtures_have_no_finding_and_invalid_ones_their_snapshot() {
    let mut wrong = Vec::new();
    for rule in rules::all().filter(|rule| IN_MEMORY.iter().all(|(id, _)| *id != rule.id)) {
        let mut valid = 0;
        let mut invalid = 0;
        for fixture in fixtures(rule.id) {
            let name = name_of(&fixture);
            // Another test compares these pairs of trees.
            if name.starts_with("fix-") {
                continue;
            }
            let found = findings(&Files::from_disk(&fixture), rule.id);
            let is_expected = match name.split('-').next() {
                Some("valid") => {
                    valid += 1;
                    found.is_empty()
                }
                Some("invalid") => {
                    invalid += 1;
                    !found.is_empty() && matches_snapshot(&fixture, &found)
                }
                _ => panic!("{}: {name} must be valid-*, invalid-* or fix-*", rule.id),
            };
            if !is_expected {
                wrong.push(format!("{}/{name}", rule.id));
            }
        }
        assert!(
            valid > 0 && invalid > 0,
            "fixtures/rules/{} has {valid} folders `valid-*` and {invalid} `invalid-*`; a rule needs one of each",
            rule.id
        );
        wrong.extend(stale_snapshots(rule.id));
    }
    assert!(
        wrong.is_empty(),
        "fixtures that fire, or do not, against their names, and snapshots that differ or have no invalid fixture \
         (`cargo xtask docs` writes snapshots; read `git diff`, and delete those without a fixture):\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_folder_of_fixtures_belongs_to_a_rule() {
    for entry in std::fs::read_dir(top()).unwrap() {
        let name = name_of(&entry.unwrap().path());
        let module = name.replace('-', "_");
        let hint = format!("is `{module}` in the table of its family, `crates/lint/src/FAMILY/mod.rs`?");
        assert!(rules::find(&name).is_some(), "fixtures/rules/{name}: no rule has this id; {hint}");
    }
}

#[test]
fn mirror_skipped_fires_if_two_names_differ_only_in_their_unicode_form() {
    let files = |names: &[&str]| {
        let mut files = Files::default();
        let document = "---\nname: notes\ndescription: Formats notes. Use when the user asks for them.\n---\n# Notes\n";
        files.add("agent/skills/notes/SKILL.md", document).add("agent/mirrors.lock", "");
        for name in names {
            files.add(&format!("agent/skills/notes/assets/{name}"), "x");
        }
        files
    };
    assert!(fires(&files(&["caf\u{e9}.txt", "cafe\u{301}.txt"]), "mirror-skipped"));
    assert!(!fires(&files(&["caf\u{e9}.txt", "tea.txt"]), "mirror-skipped"));
}

/// Fenced blocks with the info string `<language> valid|invalid|given [path]`; `given` files are present for each
/// example. The path defaults to `release-notes/SKILL.md` for Markdown, `plan.yaml` for YAML, and
/// `agent/schemas/plan-schema.json` for JSON.
fn examples(page: &str) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(String, String, String)> = None;
    for event in Parser::new(page) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let words: Vec<&str> = info.split_whitespace().collect();
                let [language, verdict @ ("valid" | "invalid" | "given"), rest @ ..] = words.as_slice() else {
                    continue;
                };
                let path = match (rest, *language) {
                    ([path, ..], _) => *path,
                    ([], "markdown") => "release-notes/SKILL.md",
                    ([], "yaml") => "plan.yaml",
                    ([], "json") => "agent/schemas/plan-schema.json",
                    ([], other) => panic!("no default path for {other}"),
                };
                open = Some(((*verdict).to_owned(), path.to_owned(), String::new()));
            }
            Event::Text(text) => {
                if let Some((_, _, content)) = &mut open {
                    content.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => found.extend(open.take()),
            _ => {}
        }
    }
    found
}

/// The text of the section "Why it is bad".
fn why(page: &str) -> &str {
    let (_, rest) = page.split_once("\n## Why it is bad\n\n").unwrap_or_default();
    rest.split_once("\n\n## ").unwrap_or_default().0
}

#[test]
fn pages_are_complete_and_their_examples_are_correct() {
    let mut wrong = Vec::new();
    for rule in rules::all() {
        let page = rule.docs;
        assert!(page.starts_with(&format!("# {}\n", rule.id)), "{}: the page's title", rule.id);
        for section in ["## Why it is bad", "## Example", "## Fix"] {
            assert!(page.contains(section), "{}: no section {section}", rule.id);
        }
        let why = why(page).replace('\n', " ");
        let is_sentence = why.ends_with('.') && !why.contains(". ") && !why.contains("  ");
        assert!(is_sentence, "{}: say in one sentence whom the rule saves from what: {why}", rule.id);
        let (given, examples): (Vec<_>, Vec<_>) =
            examples(page).into_iter().partition(|(verdict, _, _)| verdict == "given");
        for (verdict, path, content) in examples {
            let mut files = Files::default();
            for (_, path, content) in &given {
                files.add(path, content);
            }
            files.add(&path, &content);
            if fires(&files, rule.id) != (verdict == "invalid") {
                wrong.push(format!("{}: example at {path}:\n{content}", rule.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ids_are_unique_and_well_formed() {
    let mut ids: Vec<&str> = rules::ids().collect();
    let count = ids.len();
    for id in &ids {
        assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{id}");
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}
