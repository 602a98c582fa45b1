//! What peers get wrong, event by event: each event has its tests, which name it as `/// Case: …`.

use crate::support::repo::{Repo, document};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The events of the table that canonry is held against, in its words.
const EVENTS: [&str; 19] = [
    "a mirrored file was edited by hand",
    "a skill of the user's stands in the mirror",
    "the user's skill has the name of a canonical one",
    "a pre-existing file is byte-identical",
    "a canonical skill is deleted or renamed",
    "one file of a kept skill is deleted in the canon",
    "the disk fills up midway",
    "a link in a skill points outside the repository",
    "a mirror root, or AGENTS.md, is a link to outside",
    "a mirror folder is a link into the canon",
    "CRLF or BOM, unknown frontmatter, no final newline, binary",
    "a checkout with CRLF only",
    "exec bit lost on a mirrored script",
    "`Gamma/` beside `gamma/`",
    "one bad SKILL.md",
    "two targets share a folder",
    "the user's own root AGENTS.md",
    "no change",
    "check in CI",
];

/// The tests of each event, as `module::test`, from the sources beside this one.
fn tests() -> BTreeMap<String, Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/sync");
    let mut tests: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(event) = line.strip_prefix("/// Case: ") else { continue };
            let below = lines[at..].iter().skip_while(|line| line.starts_with("///")).collect::<Vec<_>>();
            assert_eq!(*below[0], "#[test]", "{}: {line}", path.display());
            let name = below[1].trim_start_matches("fn ").split('(').next().unwrap();
            let module = path.file_stem().unwrap().to_str().unwrap();
            tests.entry(event.trim_end_matches('.').to_owned()).or_default().push(format!("{module}::{name}"));
        }
    }
    tests
}

#[test]
fn every_event_has_a_test_and_every_case_is_an_event() {
    let tests = tests();
    let missing: Vec<&&str> = EVENTS.iter().filter(|event| !tests.contains_key(**event)).collect();
    assert!(missing.is_empty(), "no test for {missing:#?}");
    let events = BTreeSet::from(EVENTS);
    let unknown: Vec<&String> = tests.keys().filter(|event| !events.contains(event.as_str())).collect();
    assert!(unknown.is_empty(), "no event: {unknown:#?}");
}

#[test]
fn the_events_are_those_of_the_table() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/sync.md");
    let Ok(text) = std::fs::read_to_string(table) else {
        eprintln!("skipped: the table of cases is not beside this repository");
        return;
    };
    let rows =
        text.lines().skip_while(|line| !line.starts_with("|---")).skip(1).take_while(|line| line.starts_with('|'));
    let events: Vec<&str> = rows.map(|row| row.split('|').nth(1).unwrap().trim()).collect();
    assert_eq!(events, EVENTS);
}

const MAP: &str = "# Our map\n\nWritten by a person.\r\n\n\tno end";

/// Case: the user's own root AGENTS.md.
#[test]
fn a_persons_own_text_at_the_top_stays_and_a_second_run_changes_nothing() {
    let repo = Repo::with_skills(&["alpha"]);
    let files = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
    files.iter().for_each(|file| repo.write(file, MAP));
    repo.sync(&[]).expect(0);
    let first = repo.tree();
    for args in [&[][..], &["--force"]] {
        repo.sync(args).expect(0);
        assert_eq!(repo.tree(), first, "{args:?}");
    }
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.sync(&[]).expect(0);
    for file in files {
        assert!(repo.text(file).contains(MAP), "{file}: {:?}", repo.text(file));
    }
}

/// Case: a mirror root, or AGENTS.md, is a link to outside.
#[test]
fn nothing_is_written_through_a_map_that_is_a_link_to_outside() {
    let repo = Repo::with_skills(&["alpha"]);
    let outside = repo.outside("elsewhere").join("AGENTS.md");
    std::fs::write(&outside, MAP).unwrap();
    for file in ["AGENTS.md", "CLAUDE.md", "GEMINI.md"] {
        repo.link(file, &outside);
    }
    for args in [&[][..], &["--force"]] {
        repo.sync(args);
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), MAP, "{args:?}");
        assert!(repo.path("AGENTS.md").read_link().is_ok());
    }
    repo.assert_mirrored(&["alpha"]);
}
