use super::*;
use crate::desired::{DesiredPart, ImportLine, PartContent};
use canonry_model::edit::OverwriteMode;
use gix_hash::ObjectId;
use serde_json::{Value, json};

const HASH: Kind = Kind::Sha1;

/// A file over several syncs.
struct Story {
    file: RepoPath,
    text: Option<String>,
    owned: Vec<(RepoPath, FileState)>,
}

impl Story {
    fn new(file: &str, text: Option<&str>) -> Self {
        Self { file: RepoPath::from(file), text: text.map(str::to_owned), owned: Vec::new() }
    }

    fn run(&mut self, desired: &DesiredToolFiles, overwrite: OverwriteMode) -> ToolFilePlan {
        let state = self.text.clone().map_or(ToolFileState::Missing, |text| ToolFileState::Text {
            state: FileState { id: managed_part::text_id(&text, HASH), mode: FileMode::File },
            text,
        });
        let files = BTreeMap::from([(self.file.clone(), state)]);
        let plan = super::plan(
            &ToolFileContext { desired, files: &files, owned: &self.owned, was_there: &|_, _| true, hash: HASH },
            overwrite,
        );
        for edit in &plan.edits {
            self.text = match edit {
                Edit::Write { content: EditContent::Bytes(bytes), .. } => {
                    Some(String::from_utf8(bytes.clone()).unwrap())
                }
                _ => None,
            };
        }
        self.owned.clone_from(&plan.owned);
        plan
    }

    fn keep(&mut self, desired: &DesiredToolFiles) -> ToolFilePlan {
        self.run(desired, OverwriteMode::OwnedOnly)
    }
}

fn servers(servers: &[(&str, Value)]) -> DesiredToolFiles {
    let mut wanted = DesiredToolFiles::default();
    for (name, value) in servers {
        wanted.add_key(".mcp.json", &["mcpServers", name], value.clone(), &RepoPath::from("agent/mcp.json"));
    }
    wanted
}

fn block(file: &str, inner: &str) -> DesiredToolFiles {
    let replaced_by =
        Some(ImportLine { line: "@AGENTS.md".to_owned(), target: RepoPath::from("AGENTS.md"), is_implied: false });
    let content = PartContent::Block { inner: inner.to_owned(), replaced_by };
    let canon = RepoPath::from("agent/AGENTS.md");
    DesiredToolFiles {
        parts: vec![DesiredPart { file: RepoPath::from(file), canon, content }],
        ..DesiredToolFiles::default()
    }
}

#[test]
fn a_created_file_is_removed_again() {
    let mut story = Story::new(".mcp.json", None);
    story.keep(&servers(&[("a", json!({"command": "x"}))]));
    let want = "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\"\n    }\n  }\n}\n";
    assert_eq!(story.text.as_deref(), Some(want));
    let again = story.keep(&servers(&[("a", json!({"command": "x"}))]));
    assert_eq!((again.edits.len(), again.unchanged), (0, 1));
    story.keep(&servers(&[]));
    assert_eq!((story.text, story.owned.len()), (None, 0));
}

#[test]
fn user_values_stay_and_are_reported() {
    let text = "{ \"mcpServers\": { \"a\": { \"command\": \"mine\" } } }";
    let mut story = Story::new(".mcp.json", Some(text));
    let wanted = servers(&[("a", json!({"command": "x"})), ("b", json!({"command": "y"}))]);
    let plan = story.keep(&wanted);
    let refused = &plan.refused[0];
    assert_eq!(refused.conflict, PartConflict::Occupied);
    assert!(
        refused.message.contains("`mcpServers.a`") && refused.message.contains("agent/mcp.json"),
        "{}",
        refused.message
    );
    assert!(String::from_utf8(refused.forced.clone().unwrap()).unwrap().contains("\"x\""));
    assert_eq!(
        story.text.as_deref(),
        Some("{ \"mcpServers\": { \"a\": { \"command\": \"mine\" }, \"b\": {\"command\":\"y\"} } }")
    );
    assert!(plan.forced.is_empty());
    story.keep(&servers(&[]));
    assert_eq!(story.text.as_deref(), Some(text));
}

#[test]
fn equal_user_values_are_not_claimed() {
    let text = "{\"mcpServers\": {\"a\": {\"args\": [], \"command\": \"x\"}}}";
    let mut story = Story::new(".mcp.json", Some(text));
    let plan = story.keep(&servers(&[("a", json!({"command": "x", "args": []}))]));
    assert_eq!((plan.unchanged, plan.owned.len()), (1, 0));
    story.keep(&servers(&[]));
    assert_eq!(story.text.as_deref(), Some(text));
}

#[test]
fn an_edited_key_is_refused_until_forced() {
    let mut story = Story::new(".mcp.json", Some("{}\n"));
    story.keep(&servers(&[("a", json!({"command": "x"}))]));
    let edited = story.text.clone().unwrap().replace("\"x\"", "\"edited\"");
    story.text = Some(edited.clone());
    for wanted in [servers(&[("a", json!({"command": "x"}))]), servers(&[("a", json!({"command": "z"}))]), servers(&[])]
    {
        let plan = story.keep(&wanted);
        assert_eq!(plan.refused.iter().map(|r| r.conflict.clone()).collect::<Vec<_>>(), [PartConflict::Edited]);
        assert_eq!(story.text.as_deref(), Some(edited.as_str()));
    }
    let plan = story.run(&servers(&[("a", json!({"command": "z"}))]), OverwriteMode::Force);
    assert_eq!(plan.forced, [RepoPath::from(".mcp.json")]);
    assert!(story.text.clone().unwrap().contains("\"z\""));
    story.keep(&servers(&[]));
    assert_eq!(story.text.as_deref(), Some("{}\n"));
}

#[test]
fn formatting_is_no_edit_and_a_deleted_key_is_restored() {
    let mut story = Story::new(".mcp.json", None);
    let wanted = servers(&[("a", json!({"command": "x", "args": ["1"]}))]);
    story.keep(&wanted);
    story.text = Some("{\"mcpServers\":{\"a\":{\"args\":[\"1\"],\"command\":\"x\"}}}".to_owned());
    assert_eq!(story.keep(&wanted).edits.len(), 0);
    story.text = Some("{\"mcpServers\":{}}".to_owned());
    assert_eq!(story.keep(&wanted).edits.len(), 1);
    story.keep(&servers(&[]));
    assert_eq!(story.text, None);
}

#[test]
fn a_user_value_keeps_a_created_container() {
    let mut story = Story::new(".mcp.json", Some("{}"));
    story.keep(&servers(&[("a", json!(1))]));
    story.text = Some(story.text.clone().unwrap().replace("\"a\": 1", "\"a\": 1,\n    \"mine\": 2"));
    story.keep(&servers(&[]));
    assert_eq!(story.text.as_deref(), Some("{\n  \"mcpServers\": {\n    \"mine\": 2\n  }\n}"));
    assert!(story.owned.is_empty());
}

#[test]
fn nothing_is_removed_while_the_canon_is_unreadable() {
    let mut story = Story::new(".mcp.json", Some("{}"));
    story.keep(&servers(&[("a", json!(1))]));
    let text = story.text.clone();
    let owned = story.owned.clone();
    let frozen =
        DesiredToolFiles { frozen: BTreeSet::from([RepoPath::from(".mcp.json")]), ..DesiredToolFiles::default() };
    story.keep(&frozen);
    assert_eq!(story.text, text);
    assert_eq!(BTreeSet::from_iter(story.owned.iter().map(|o| &o.0)), BTreeSet::from_iter(owned.iter().map(|o| &o.0)));
}

#[test]
fn an_invalid_file_stays_unchanged() {
    for (file, text) in
        [(".mcp.json", "{"), (".codex/config.toml", "a = "), ("CLAUDE.md", "<!-- >>> canonry >>> -->\n")]
    {
        let mut story = Story::new(file, Some(text));
        let mut wanted = block(file, "@AGENTS.md\n");
        if file.ends_with("json") {
            wanted.parts[0].content = PartContent::Key { path: vec!["a".to_owned()], value: json!(1) };
        }
        let plan = story.keep(&wanted);
        assert_eq!((plan.edits.len(), plan.refused.len()), (0, 1), "{file}");
        assert_eq!(story.text.as_deref(), Some(text));
    }
}

#[test]
fn edited_items_are_recognized_by_their_marker() {
    let canon = RepoPath::from("agent/canonry.yaml");
    let value = json!({"hooks": [{"command": "canonry hook stop", "timeout": 10}]});
    let content = |value: Value| PartContent::Item {
        path: vec!["hooks".to_owned()],
        value,
        marker: Some("canonry hook stop".to_owned()),
    };
    let part = |value| DesiredPart { file: RepoPath::from(".mcp.json"), canon: canon.clone(), content: content(value) };
    let wanted = |value| DesiredToolFiles { parts: vec![part(value)], ..DesiredToolFiles::default() };
    let mut story = Story::new(".mcp.json", Some("{\"hooks\": [1]}"));
    story.keep(&wanted(value.clone()));
    story.text = Some(story.text.clone().unwrap().replace("10", "99"));
    assert_eq!(story.keep(&wanted(value.clone())).refused[0].conflict, PartConflict::Edited);
    assert_eq!(story.run(&wanted(value), OverwriteMode::Force).forced.len(), 1);
    story.keep(&DesiredToolFiles::default());
    assert_eq!(story.text.as_deref(), Some("{\"hooks\": [1]}"));
}

#[test]
fn a_changed_item_replaces_the_owned_one() {
    let canon = RepoPath::from("agent/canonry.yaml");
    let wanted = |timeout: u32| {
        let mut wanted = DesiredToolFiles::default();
        wanted.add_item(".mcp.json", &["hooks"], json!({"command": "canonry hook stop", "timeout": timeout}), &canon);
        if let PartContent::Item { marker, .. } = &mut wanted.parts[0].content {
            *marker = Some("canonry hook stop".to_owned());
        }
        wanted
    };
    let mut story = Story::new(".mcp.json", None);
    story.keep(&wanted(10));
    let plan = story.keep(&wanted(20));
    assert!(plan.refused.is_empty() && story.text.clone().unwrap().contains("20"));
    assert!(!story.text.unwrap().contains("10"));
}

#[test]
fn a_hook_that_the_canon_changes_is_not_a_deleted_one() {
    let canon = RepoPath::from("agent/canonry.yaml");
    let team = json!({"command": "lint"});
    let wanted = |timeout: u32, has_team: bool| {
        let mut wanted = DesiredToolFiles::default();
        wanted.add_item(".mcp.json", &["hooks"], json!({"command": "canonry hook stop", "timeout": timeout}), &canon);
        if let PartContent::Item { marker, .. } = &mut wanted.parts[0].content {
            *marker = Some("canonry hook stop".to_owned());
        }
        if has_team {
            wanted.add_item(".mcp.json", &["hooks"], team.clone(), &canon);
        }
        wanted
    };
    // What a person deletes, whether the canon keeps the team's hook, the number of refusals, and what the file then has.
    let cases: [(&[&str], bool, usize, &[&str]); 6] = [
        (&[], true, 0, &["20", "lint"]),
        (&[], false, 0, &["20"]),
        (&["lint"], true, 1, &["20"]),
        (&["lint"], false, 0, &["20"]),
        (&["canonry"], true, 1, &["lint"]),
        (&["canonry", "lint"], true, 2, &[]),
    ];
    for (deleted, has_team, refusals, has) in cases {
        let mut story = Story::new(".mcp.json", Some("{\"mine\": 1}"));
        story.keep(&wanted(10, true));
        let mut settings: Value = serde_json::from_str(&story.text.clone().unwrap()).unwrap();
        let items = settings["hooks"].as_array_mut().unwrap();
        items.retain(|item| !deleted.iter().any(|word| item.to_string().contains(word)));
        story.text = Some(settings.to_string());
        for _ in 0..2 {
            let plan = story.keep(&wanted(20, has_team));
            let text = story.text.clone().unwrap();
            assert_eq!(plan.refused.len(), refusals, "{deleted:?} {has_team}: {:?}", plan.refused);
            for word in ["10", "20", "lint"] {
                assert_eq!(text.contains(word), has.contains(&word), "{deleted:?} {has_team}: {text}");
            }
        }
    }
}

#[test]
fn an_import_or_a_link_makes_a_block_unnecessary() {
    let mut story = Story::new("CLAUDE.md", Some("# Mine\n@AGENTS.md\n"));
    let plan = story.keep(&block("CLAUDE.md", "@AGENTS.md\n"));
    assert_eq!((plan.edits.len(), plan.unchanged), (0, 1));
    let link =
        |to: &str| BTreeMap::from([(RepoPath::from("CLAUDE.md"), ToolFileState::Link(Some(RepoPath::from(to))))]);
    let planned = |to: &str| {
        let wanted = block("CLAUDE.md", "@AGENTS.md\n");
        super::plan(
            &ToolFileContext { desired: &wanted, files: &link(to), owned: &[], was_there: &|_, _| false, hash: HASH },
            OverwriteMode::Force,
        )
    };
    assert_eq!((planned("AGENTS.md").unchanged, planned("AGENTS.md").refused.len()), (1, 0));
    assert_eq!((planned("docs/x.md").edits.len(), planned("docs/x.md").refused.len()), (0, 1));
}

#[test]
fn an_implied_import_is_written_only_beside_other_text() {
    let implied = || {
        let mut wanted = block("CLAUDE.md", "@AGENTS.md\n");
        if let PartContent::Block { replaced_by: Some(import), .. } = &mut wanted.parts[0].content {
            import.is_implied = true;
        }
        wanted
    };
    for (text, is_written) in [(None, false), (Some(""), false), (Some("\n"), false), (Some("# Mine\n"), true)] {
        let mut story = Story::new("CLAUDE.md", text);
        let plan = story.keep(&implied());
        assert_eq!((plan.edits.len(), plan.unchanged), (usize::from(is_written), 0), "{text:?}");
    }
    // A file that an earlier sync wrote is removed; the text of a person stays.
    let mut story = Story::new("CLAUDE.md", None);
    story.keep(&block("CLAUDE.md", "@AGENTS.md\n"));
    story.keep(&implied());
    assert_eq!((story.text.as_deref(), story.owned.len()), (None, 0));
    let mut required = implied();
    required.require_import(&RepoPath::from("CLAUDE.md"));
    story.keep(&required);
    assert!(story.text.is_some());
}

#[test]
fn a_block_is_added_updated_and_removed() {
    for text in [None, Some(""), Some("# Mine"), Some("# Mine\r\n")] {
        let mut story = Story::new("AGENTS.md", text);
        story.keep(&block("AGENTS.md", "one\n"));
        story.keep(&block("AGENTS.md", "two\n"));
        assert!(story.text.clone().unwrap().contains("two"));
        let edited = story.text.clone().unwrap().replace("two", "hand");
        let mut other = Story { text: Some(edited.clone()), file: story.file.clone(), owned: story.owned.clone() };
        assert_eq!(other.keep(&block("AGENTS.md", "three\n")).refused[0].conflict, PartConflict::Edited);
        assert_eq!(other.keep(&DesiredToolFiles::default()).refused[0].conflict, PartConflict::Edited);
        assert_eq!(other.text.as_deref(), Some(edited.as_str()));
        story.keep(&DesiredToolFiles::default());
        assert_eq!(story.text.as_deref(), text);
    }
}

#[test]
fn user_tables_are_left_out_of_the_block() {
    let table = |name: &str| DesiredPart {
        file: RepoPath::from(".codex/config.toml"),
        canon: RepoPath::from("agent/mcp.json"),
        content: PartContent::Table {
            path: vec!["mcp_servers".to_owned(), name.to_owned()],
            text: format!("[mcp_servers.{name}]\ncommand = \"x\"\n"),
        },
    };
    let wanted = DesiredToolFiles { parts: vec![table("a"), table("b")], ..DesiredToolFiles::default() };
    let mine = "model = \"m\" # mine\r\n\r\n[mcp_servers.a]\r\ncommand = \"mine\"";
    let mut story = Story::new(".codex/config.toml", Some(mine));
    let plan = story.keep(&wanted);
    assert_eq!(plan.refused.len(), 1);
    assert!(plan.refused[0].message.contains("`[mcp_servers.a]`"), "{}", plan.refused[0].message);
    let made = story.text.clone().unwrap();
    assert!(made.contains("[mcp_servers.b]\r\n") && made.parse::<toml_edit::DocumentMut>().is_ok(), "{made}");
    story.keep(&DesiredToolFiles::default());
    assert_eq!(story.text.as_deref(), Some(mine));
    let mut inline = Story::new(".codex/config.toml", Some("mcp_servers = {}\n"));
    let plan = inline.keep(&wanted);
    assert_eq!((plan.edits.len(), plan.refused.len()), (0, 1));
}

#[test]
fn claims_restore_a_lost_lock() {
    let servers = servers(&[("a", json!({"command": "x"})), ("b", json!(2))]);
    for (desired, file, text) in [
        (&servers, ".mcp.json", None),
        (&servers, ".mcp.json", Some("{\"mine\": 1}")),
        (&servers, ".mcp.json", Some("{\"mcpServers\": {\"mine\": 1}}")),
        (&block("AGENTS.md", "one\n"), "AGENTS.md", None),
        (&block("AGENTS.md", "one\n"), "AGENTS.md", Some("# Mine\n")),
    ] {
        let mut story = Story::new(file, text);
        story.keep(desired);
        let state = FileState { id: ObjectId::null(HASH), mode: FileMode::File };
        let state = ToolFileState::Text { state, text: story.text.clone().unwrap() };
        let files = BTreeMap::from([(story.file.clone(), state)]);
        let claimed = crate::claim_parts(&ToolFileContext {
            desired,
            files: &files,
            owned: &[],
            was_there: &|_, _| false,
            hash: HASH,
        });
        let sorted =
            |parts: &[(RepoPath, FileState)]| parts.iter().map(|p| (p.0.clone(), p.1.id)).collect::<BTreeSet<_>>();
        assert_eq!(sorted(&claimed), sorted(&story.owned), "{text:?}");
    }
}

#[test]
fn an_edited_hook_is_refused_while_it_is_on_and_removed_when_it_is_off() {
    let hook = |timeout: u32| {
        let mut wanted = DesiredToolFiles::default();
        let value = json!({"hooks": [{"command": "canonry hook stop --tool claude", "timeout": timeout}]});
        let content = PartContent::Item {
            path: vec!["hooks".to_owned(), "Stop".to_owned()],
            value,
            marker: Some("canonry hook stop ".to_owned()),
        };
        let file = RepoPath::from(".claude/settings.json");
        let canon = RepoPath::from("agent/canonry.yaml");
        wanted.parts.push(DesiredPart { file, canon, content });
        wanted
    };
    let mut story = Story::new(".claude/settings.json", None);
    story.keep(&hook(10));
    let edited = story.text.as_ref().unwrap().replace("10", "99");
    story.text = Some(edited.clone());
    // A newer version wants another timeout.
    let plan = story.keep(&hook(20));
    assert_eq!((plan.edits.len(), plan.refused.len()), (0, 1));
    assert_eq!(story.text.as_deref(), Some(edited.as_str()));
    let plan = story.keep(&DesiredToolFiles::default());
    assert_eq!((plan.refused.len(), plan.forced.len()), (0, 1), "the edited file is backed up");
    assert!(!story.text.unwrap_or_default().contains("canonry hook"));
}
