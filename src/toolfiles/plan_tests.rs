use super::*;
use crate::edit::OverwriteMode;
use crate::toolfiles::desired::{DesiredPart, ImportLine, PartContent};
use gix::ObjectId;
use serde_json::{Value, json};

const HASH: Kind = Kind::Sha1;

/// A file through one run after the other.
struct Story {
    file: RepoPath,
    text: Option<String>,
    ours: Vec<(RepoPath, FileState)>,
}

impl Story {
    fn new(file: &str, text: Option<&str>) -> Self {
        Self { file: RepoPath::from(file), text: text.map(str::to_owned), ours: Vec::new() }
    }

    fn run(&mut self, wanted: &DesiredToolFiles, stance: OverwriteMode) -> ToolFilePlan {
        let standing = self.text.clone().map_or(ToolFileState::Missing, |text| ToolFileState::Text {
            state: FileState { id: managed_part::text_id(&text, HASH), mode: FileMode::File },
            text,
        });
        let standing = BTreeMap::from([(self.file.clone(), standing)]);
        let verdict = plan(&ToolFileContext { wanted, standing: &standing, ours: &self.ours, hash: HASH }, stance);
        for edit in &verdict.edits {
            self.text = match edit {
                Edit::Write { content: EditContent::Bytes(bytes), .. } => {
                    Some(String::from_utf8(bytes.clone()).unwrap())
                }
                _ => None,
            };
        }
        self.ours.clone_from(&verdict.owned);
        verdict
    }

    fn keep(&mut self, wanted: &DesiredToolFiles) -> ToolFilePlan {
        self.run(wanted, OverwriteMode::OwnedOnly)
    }
}

fn servers(servers: &[(&str, Value)]) -> DesiredToolFiles {
    let mut wanted = DesiredToolFiles::default();
    for (name, value) in servers {
        wanted.key(".mcp.json", &["mcpServers", name], value.clone(), &RepoPath::from("agent/mcp.json"));
    }
    wanted
}

fn block(file: &str, inner: &str) -> DesiredToolFiles {
    let unless = Some(ImportLine { line: "@AGENTS.md".to_owned(), target: RepoPath::from("AGENTS.md") });
    let place = PartContent::Block { inner: inner.to_owned(), unless };
    let canon = RepoPath::from("agent/AGENTS.md");
    DesiredToolFiles {
        parts: vec![DesiredPart { file: RepoPath::from(file), canon, place }],
        ..DesiredToolFiles::default()
    }
}

#[test]
fn a_file_of_our_own_comes_and_goes() {
    let mut story = Story::new(".mcp.json", None);
    story.keep(&servers(&[("a", json!({"command": "x"}))]));
    let want = "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\"\n    }\n  }\n}\n";
    assert_eq!(story.text.as_deref(), Some(want));
    let again = story.keep(&servers(&[("a", json!({"command": "x"}))]));
    assert_eq!((again.edits.len(), again.unchanged), (0, 1));
    story.keep(&servers(&[]));
    assert_eq!((story.text, story.ours.len()), (None, 0));
}

#[test]
fn what_people_have_set_stays_and_is_told() {
    let text = "{ \"mcpServers\": { \"a\": { \"command\": \"mine\" } } }";
    let mut story = Story::new(".mcp.json", Some(text));
    let wanted = servers(&[("a", json!({"command": "x"})), ("b", json!({"command": "y"}))]);
    let verdict = story.keep(&wanted);
    let refused = &verdict.refused[0];
    assert_eq!(refused.fault, PartConflict::Occupied);
    assert!(refused.words.contains("`mcpServers.a`") && refused.words.contains("agent/mcp.json"), "{}", refused.words);
    assert!(String::from_utf8(refused.forced.clone().unwrap()).unwrap().contains("\"x\""));
    assert_eq!(
        story.text.as_deref(),
        Some("{ \"mcpServers\": { \"a\": { \"command\": \"mine\" }, \"b\": {\"command\":\"y\"} } }")
    );
    assert!(verdict.forced.is_empty());
    story.keep(&servers(&[]));
    assert_eq!(story.text.as_deref(), Some(text));
}

#[test]
fn what_is_the_same_already_is_not_claimed() {
    let text = "{\"mcpServers\": {\"a\": {\"args\": [], \"command\": \"x\"}}}";
    let mut story = Story::new(".mcp.json", Some(text));
    let verdict = story.keep(&servers(&[("a", json!({"command": "x", "args": []}))]));
    assert_eq!((verdict.unchanged, verdict.owned.len()), (1, 0));
    story.keep(&servers(&[]));
    assert_eq!(story.text.as_deref(), Some(text));
}

#[test]
fn a_hand_edit_of_our_key_is_refused_until_forced() {
    let mut story = Story::new(".mcp.json", Some("{}\n"));
    story.keep(&servers(&[("a", json!({"command": "x"}))]));
    let edited = story.text.clone().unwrap().replace("\"x\"", "\"edited\"");
    story.text = Some(edited.clone());
    for wanted in [servers(&[("a", json!({"command": "x"}))]), servers(&[("a", json!({"command": "z"}))]), servers(&[])]
    {
        let verdict = story.keep(&wanted);
        assert_eq!(verdict.refused.iter().map(|r| r.fault.clone()).collect::<Vec<_>>(), [PartConflict::Edited]);
        assert_eq!(story.text.as_deref(), Some(edited.as_str()));
    }
    let verdict = story.run(&servers(&[("a", json!({"command": "z"}))]), OverwriteMode::Force);
    assert_eq!(verdict.forced, [RepoPath::from(".mcp.json")]);
    assert!(story.text.clone().unwrap().contains("\"z\""));
    story.keep(&servers(&[]));
    assert_eq!(story.text.as_deref(), Some("{}\n"));
}

#[test]
fn layout_is_no_edit_and_a_deleted_key_comes_again() {
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
fn what_people_add_to_our_container_keeps_it() {
    let mut story = Story::new(".mcp.json", Some("{}"));
    story.keep(&servers(&[("a", json!(1))]));
    story.text = Some(story.text.clone().unwrap().replace("\"a\": 1", "\"a\": 1,\n    \"mine\": 2"));
    story.keep(&servers(&[]));
    assert_eq!(story.text.as_deref(), Some("{\n  \"mcpServers\": {\n    \"mine\": 2\n  }\n}"));
    assert!(story.ours.is_empty());
}

#[test]
fn nothing_is_taken_out_while_the_canon_cannot_be_read() {
    let mut story = Story::new(".mcp.json", Some("{}"));
    story.keep(&servers(&[("a", json!(1))]));
    let (text, ours) = (story.text.clone(), story.ours.clone());
    let frozen =
        DesiredToolFiles { frozen: BTreeSet::from([RepoPath::from(".mcp.json")]), ..DesiredToolFiles::default() };
    story.keep(&frozen);
    assert_eq!(story.text, text);
    assert_eq!(BTreeSet::from_iter(story.ours.iter().map(|o| &o.0)), BTreeSet::from_iter(ours.iter().map(|o| &o.0)));
}

#[test]
fn an_unreadable_file_is_left_alone() {
    for (file, text) in
        [(".mcp.json", "{"), (".codex/config.toml", "a = "), ("CLAUDE.md", "<!-- >>> canonry >>> -->\n")]
    {
        let mut story = Story::new(file, Some(text));
        let mut wanted = block(file, "@AGENTS.md\n");
        if file.ends_with("json") {
            wanted.parts[0].place = PartContent::Key { path: vec!["a".to_owned()], value: json!(1) };
        }
        let verdict = story.keep(&wanted);
        assert_eq!((verdict.edits.len(), verdict.refused.len()), (0, 1), "{file}");
        assert_eq!(story.text.as_deref(), Some(text));
    }
}

#[test]
fn items_that_someone_changed_are_known_by_their_words() {
    let canon = RepoPath::from("agent/canonry.yaml");
    let value = json!({"hooks": [{"command": "canonry hook stop", "timeout": 10}]});
    let place = |value: Value| PartContent::Item {
        path: vec!["hooks".to_owned()],
        value,
        known_by: Some("canonry hook stop".to_owned()),
    };
    let piece = |value| DesiredPart { file: RepoPath::from(".mcp.json"), canon: canon.clone(), place: place(value) };
    let wanted = |value| DesiredToolFiles { parts: vec![piece(value)], ..DesiredToolFiles::default() };
    let mut story = Story::new(".mcp.json", Some("{\"hooks\": [1]}"));
    story.keep(&wanted(value.clone()));
    story.text = Some(story.text.clone().unwrap().replace("10", "99"));
    assert_eq!(story.keep(&wanted(value.clone())).refused[0].fault, PartConflict::Edited);
    assert_eq!(story.run(&wanted(value), OverwriteMode::Force).forced.len(), 1);
    story.keep(&DesiredToolFiles::default());
    assert_eq!(story.text.as_deref(), Some("{\"hooks\": [1]}"));
}

#[test]
fn a_new_form_of_an_item_takes_the_place_of_ours() {
    let canon = RepoPath::from("agent/canonry.yaml");
    let wanted = |timeout: u32| {
        let mut wanted = DesiredToolFiles::default();
        wanted.item(".mcp.json", &["hooks"], json!({"command": "canonry hook stop", "timeout": timeout}), &canon);
        if let PartContent::Item { known_by, .. } = &mut wanted.parts[0].place {
            *known_by = Some("canonry hook stop".to_owned());
        }
        wanted
    };
    let mut story = Story::new(".mcp.json", None);
    story.keep(&wanted(10));
    let verdict = story.keep(&wanted(20));
    assert!(verdict.refused.is_empty() && story.text.clone().unwrap().contains("20"));
    assert!(!story.text.unwrap().contains("10"));
}

#[test]
fn a_block_is_needless_where_people_import_or_link() {
    let mut story = Story::new("CLAUDE.md", Some("# Mine\n@AGENTS.md\n"));
    let verdict = story.keep(&block("CLAUDE.md", "@AGENTS.md\n"));
    assert_eq!((verdict.edits.len(), verdict.unchanged), (0, 1));
    let link =
        |to: &str| BTreeMap::from([(RepoPath::from("CLAUDE.md"), ToolFileState::Link(Some(RepoPath::from(to))))]);
    let decided = |to: &str| {
        let wanted = block("CLAUDE.md", "@AGENTS.md\n");
        plan(&ToolFileContext { wanted: &wanted, standing: &link(to), ours: &[], hash: HASH }, OverwriteMode::Force)
    };
    assert_eq!((decided("AGENTS.md").unchanged, decided("AGENTS.md").refused.len()), (1, 0));
    assert_eq!((decided("docs/x.md").edits.len(), decided("docs/x.md").refused.len()), (0, 1));
}

#[test]
fn a_block_comes_changes_and_goes() {
    for text in [None, Some(""), Some("# Mine"), Some("# Mine\r\n")] {
        let mut story = Story::new("AGENTS.md", text);
        story.keep(&block("AGENTS.md", "one\n"));
        story.keep(&block("AGENTS.md", "two\n"));
        assert!(story.text.clone().unwrap().contains("two"));
        let edited = story.text.clone().unwrap().replace("two", "hand");
        let mut other = Story { text: Some(edited.clone()), file: story.file.clone(), ours: story.ours.clone() };
        assert_eq!(other.keep(&block("AGENTS.md", "three\n")).refused[0].fault, PartConflict::Edited);
        assert_eq!(other.keep(&DesiredToolFiles::default()).refused[0].fault, PartConflict::Edited);
        assert_eq!(other.text.as_deref(), Some(edited.as_str()));
        story.keep(&DesiredToolFiles::default());
        assert_eq!(story.text.as_deref(), text);
    }
}

#[test]
fn a_table_that_people_have_is_left_out_of_the_block() {
    let table = |name: &str| DesiredPart {
        file: RepoPath::from(".codex/config.toml"),
        canon: RepoPath::from("agent/mcp.json"),
        place: PartContent::Table {
            path: vec!["mcp_servers".to_owned(), name.to_owned()],
            text: format!("[mcp_servers.{name}]\ncommand = \"x\"\n"),
        },
    };
    let wanted = DesiredToolFiles { parts: vec![table("a"), table("b")], ..DesiredToolFiles::default() };
    let mine = "model = \"m\" # mine\r\n\r\n[mcp_servers.a]\r\ncommand = \"mine\"";
    let mut story = Story::new(".codex/config.toml", Some(mine));
    let verdict = story.keep(&wanted);
    assert_eq!(verdict.refused.len(), 1);
    assert!(verdict.refused[0].words.contains("`mcp_servers.a`"), "{}", verdict.refused[0].words);
    let made = story.text.clone().unwrap();
    assert!(made.contains("[mcp_servers.b]\r\n") && made.parse::<toml_edit::DocumentMut>().is_ok(), "{made}");
    story.keep(&DesiredToolFiles::default());
    assert_eq!(story.text.as_deref(), Some(mine));
    let mut inline = Story::new(".codex/config.toml", Some("mcp_servers = {}\n"));
    let verdict = inline.keep(&wanted);
    assert_eq!((verdict.edits.len(), verdict.refused.len()), (0, 1));
}

#[test]
fn a_lost_lock_is_found_again() {
    let servers = servers(&[("a", json!({"command": "x"})), ("b", json!(2))]);
    for (wanted, file, text) in [
        (&servers, ".mcp.json", None),
        (&servers, ".mcp.json", Some("{\"mine\": 1}")),
        (&servers, ".mcp.json", Some("{\"mcpServers\": {\"mine\": 1}}")),
        (&block("AGENTS.md", "one\n"), "AGENTS.md", None),
        (&block("AGENTS.md", "one\n"), "AGENTS.md", Some("# Mine\n")),
    ] {
        let mut story = Story::new(file, text);
        story.keep(wanted);
        let state = FileState { id: ObjectId::null(HASH), mode: FileMode::File };
        let standing = ToolFileState::Text { state, text: story.text.clone().unwrap() };
        let standing = BTreeMap::from([(story.file.clone(), standing)]);
        let claimed =
            crate::toolfiles::claim_parts(&ToolFileContext { wanted, standing: &standing, ours: &[], hash: HASH });
        let sorted =
            |parts: &[(RepoPath, FileState)]| parts.iter().map(|p| (p.0.clone(), p.1.id)).collect::<BTreeSet<_>>();
        assert_eq!(sorted(&claimed), sorted(&story.ours), "{text:?}");
    }
}
