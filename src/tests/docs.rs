//! Documentation compared with the code that it describes.

use crate::rules::{self, FAMILIES, Rule};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The page of a rule, relative to `docs`.
fn page(family: &str, rule: &Rule) -> String {
    format!("../../src/rules/{family}/{}.md", rule.id.replace('-', "_"))
}

fn index() -> String {
    let count = rules::all().count();
    let mut text = format!(
        "# Rules\n\n\
         All {count} rules. `canonry explain RULE` prints the page of a rule; `rules:` in `agent/canonry.yaml` changes its severity.\n\
         `team` is the default profile; `--profile spec` enforces the specification to the letter.\n\n\
         This file is generated: `UPDATE_DOCS=1 cargo test docs`.\n"
    );
    for (family, rules) in &FAMILIES {
        text.push_str(&format!("\n## {family}\n\n| rule | team | spec | defect |\n|---|---|---|---|\n"));
        for rule in *rules {
            let team = rule.severity.team.as_str();
            let spec = rule.severity.spec.as_str();
            let summary = rule.summary.replace('|', "\\|");
            text.push_str(&format!("| [`{}`]({}) | {team} | {spec} | {summary} |\n", rule.id, page(family, rule)));
        }
    }
    text
}

#[test]
fn the_rule_index_is_up_to_date() {
    let path = root().join("docs/reference/rules.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, index()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == index(), "docs/reference/rules.md is stale; run `UPDATE_DOCS=1 cargo test docs` and commit it");
}

#[test]
fn the_index_links_to_pages() {
    for (family, rules) in &FAMILIES {
        for rule in *rules {
            let path = root().join("docs/reference").join(page(family, rule));
            let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            assert_eq!(text, rule.docs, "{}", rule.id);
        }
    }
}

#[test]
fn the_import_page_lists_every_source() {
    use crate::import::SourceKind;
    let page = std::fs::read_to_string(root().join("docs/how-to/import.md")).unwrap();
    for kind in SourceKind::ALL {
        assert!(page.contains(&format!("`--from {}`", kind.name())), "docs/how-to/import.md has no {}", kind.name());
    }
    // The page lists the paths that an import reads in the directories of tools.
    for path in SourceKind::Tools.paths() {
        assert!(page.contains(&format!("`{path}`")), "docs/how-to/import.md does not mention {path}");
    }
}

/// The messages of all refusals, with `…` for their arguments.
fn refusals() -> Vec<String> {
    use crate::mirror::RefusalReason;
    use crate::mirror::adopt_error::AdoptError;
    use crate::mirror::skipped::SkipReason;
    let path = || crate::syntax::RepoPath::from("…");
    let text = || "…".to_owned();
    let reasons = [
        RefusalReason::Edited,
        RefusalReason::EditedOrphan,
        RefusalReason::Occupied { canon: path() },
        RefusalReason::FolderOccupied { other: path() },
        RefusalReason::Differs,
        RefusalReason::DiffersOrphan,
        RefusalReason::BlockedByFile { by: path() },
        RefusalReason::BlockedByFolder { by: path() },
        RefusalReason::BlockedBySpecialFile { by: path() },
        RefusalReason::BlockedByRepository { by: path() },
        RefusalReason::OutsideCheckout { folder: path() },
        RefusalReason::RootIsSubmodule { by: path() },
        RefusalReason::RootIsLink { to: text() },
        RefusalReason::RootIsFile { by: path() },
    ];
    let left_out = [
        SkipReason::InvalidFrontmatter,
        SkipReason::NameClash { other: path() },
        SkipReason::FileNameClash { file: path(), other: path() },
        SkipReason::UnicodeClash { other: path() },
        SkipReason::FileUnicodeClash { file: path(), other: path() },
        SkipReason::FilterFailed { filter: text() },
        SkipReason::UnresolvedConflict { file: path() },
        SkipReason::Unreadable,
        SkipReason::LinkOutside { target: text() },
        SkipReason::ControlCharacters,
        SkipReason::Submodule,
        SkipReason::InvalidName,
    ];
    let causes = [
        AdoptError::NotInAMirror,
        AdoptError::BothChanged { canon: path() },
        AdoptError::Conflict { canon: path(), lines: text() },
        AdoptError::Ambiguous { other: path() },
    ];
    let said = reasons.iter().map(ToString::to_string).chain(left_out.iter().map(ToString::to_string));
    said.chain(causes.iter().map(ToString::to_string)).collect()
}

#[test]
fn the_troubleshooting_page_lists_every_refusal() {
    let page = std::fs::read_to_string(root().join("docs/troubleshooting.md")).unwrap().replace('`', "");
    for said in refusals() {
        let said = said.replace('`', "");
        let begins = format!("\n| {}", said.split("; ").next().unwrap());
        assert!(page.contains(&begins), "docs/troubleshooting.md has no entry for: {said}");
    }
}
