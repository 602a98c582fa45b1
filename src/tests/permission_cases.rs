//! Permissions from the canon into the files of the tools and back.

use canonry_agents::managed_part::text_id;
use canonry_agents::{
    DesiredToolFiles, ToolFileContext, ToolFileRequest, ToolFileSources, ToolFileState, desired_tool_files, plan,
};
use canonry_exchange::import::{ImportSource, SourceKind, import};
use canonry_model::canon::permissions::{PermissionSubject, Verdict, decisions};
use canonry_model::canon::{FileMode, FileState, Layout};
use canonry_model::config::{Config, HookFailMode};
use canonry_model::edit::{Edit, EditContent, OverwriteMode};
use canonry_repo::view::MemorySource;
use canonry_text::{RepoPath, Source};
use gix::hash::Kind;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const HASH: Kind = Kind::Sha1;

fn state(text: &str) -> FileState {
    FileState { id: text_id(text, HASH), mode: FileMode::File }
}

/// Tool files that sync wants to write for a page, with this config.
fn desired(page: Option<&str>, config: &str) -> DesiredToolFiles {
    let layout = Layout::default();
    let source = Source::new(RepoPath::from("agent/canonry.yaml"), config.to_owned());
    let config = Config::parse(&source, &[]).unwrap();
    let mut sources = ToolFileSources::default();
    if let Some(page) = page {
        sources.add(layout.permissions(), Ok(page.as_bytes().to_vec()));
    }
    let request = ToolFileRequest {
        layout: &layout,
        files: &config.files,
        targets: &[],
        mirrors: &[],
        sources: &sources,
        available_skills: None,
        hook_failure: HookFailMode::default(),
    };
    desired_tool_files(&request)
}

/// The files of a tool after syncs.
#[derive(Default)]
struct PermissionFiles {
    texts: BTreeMap<RepoPath, String>,
    owned: Vec<(RepoPath, FileState)>,
}

impl PermissionFiles {
    /// Syncs, and returns the number of changed files.
    fn sync(&mut self, desired: &DesiredToolFiles) -> usize {
        let text_state = |text: &String| ToolFileState::Text { state: state(text), text: text.clone() };
        let files = self.texts.iter().map(|(path, text)| (path.clone(), text_state(text))).collect();
        let plan = plan(
            &ToolFileContext { desired, files: &files, owned: &self.owned, was_there: &|_, _| true, hash: HASH },
            OverwriteMode::OwnedOnly,
        );
        assert!(plan.refused.is_empty(), "{:?}", plan.refused);
        for edit in &plan.edits {
            match edit {
                Edit::Write { path, content: EditContent::Bytes(bytes), .. } => {
                    self.texts.insert(path.clone(), String::from_utf8(bytes.clone()).unwrap());
                }
                edit => drop(self.texts.remove(edit.path())),
            }
        }
        self.owned = plan.owned;
        for file in &desired.generated {
            self.texts.insert(file.path.clone(), file.text.clone().unwrap_or_default());
        }
        plan.edits.len()
    }
}

/// The permissions that an import into an empty canon finds.
fn imported(texts: &BTreeMap<RepoPath, String>) -> Vec<(Verdict, PermissionSubject)> {
    let layout = Layout::default();
    let source = ImportSource {
        layout: &layout,
        hash: HASH,
        files: &texts.iter().map(|(path, text)| (path.clone(), state(text))).collect(),
        other_tool_files: &[],
        mirrored_skills: &BTreeSet::new(),
        synced: &BTreeSet::new(),
        ignored_mirrors: &BTreeSet::new(),
        canon: &BTreeMap::new(),
        contents: &MemorySource::new(),
        shared_texts: texts,
        max_file_size: 1 << 20,
        is_configured: true,
    };
    let result = import(SourceKind::Tools, &source);
    let page = result.edits.iter().find(|edit| *edit.path() == layout.permissions());
    match page {
        Some(Edit::Write { content: EditContent::Bytes(bytes), .. }) => decisions(std::str::from_utf8(bytes).unwrap()),
        _ => Vec::new(),
    }
}

fn page(all: &[(Verdict, PermissionSubject)]) -> String {
    let mut text = "# Permissions\n".to_owned();
    for (title, decision) in
        [("Always allowed", Verdict::Allow), ("Requires approval", Verdict::Ask), ("Never allowed", Verdict::Deny)]
    {
        text.push_str(&format!("\n## {title}\n\n"));
        for (_, subject) in all.iter().filter(|(own, _)| *own == decision) {
            text.push_str(&match subject {
                PermissionSubject::Command(words) => format!("- `{}`\n", words.join(" ")),
                PermissionSubject::Read(pattern) => format!("- Read: `{pattern}`\n"),
                PermissionSubject::Edit(pattern) => format!("- Edit: `{pattern}`\n"),
                PermissionSubject::Mcp { server, tool } => {
                    format!("- MCP: `{server}/{}`\n", tool.as_deref().unwrap_or("*"))
                }
                PermissionSubject::Domain(host) => format!("- Web: `{host}`\n"),
                _ => String::new(),
            });
        }
    }
    text
}

fn subject() -> impl Strategy<Value = PermissionSubject> {
    let text = |all: &'static [&'static str]| proptest::sample::select(all).prop_map(str::to_owned);
    let commands = text(&["npm", "git status", "git push --force", "cargo test"]);
    let commands = commands.prop_map(|words| PermissionSubject::Command(words.split(' ').map(str::to_owned).collect()));
    let patterns: &[&str] = &["src/**", ".env*", "Cargo.lock", "keys/", "a/b", "/etc/x", "~/x", "a/b/*.md"];
    let edits: &[&str] = &["src/**", ".env*", "Cargo.lock", "keys/", "a/b", "/etc/x", "~/x", "**"];
    let tool = proptest::option::of(text(&["merge_pr", "x"]));
    prop_oneof![
        commands,
        text(patterns).prop_map(PermissionSubject::Read),
        text(edits).prop_map(PermissionSubject::Edit),
        (text(&["github", "my-db"]), tool).prop_map(|(server, tool)| PermissionSubject::Mcp { server, tool }),
        text(&["docs.rs", "example.com"]).prop_map(PermissionSubject::Domain),
    ]
}

fn decision() -> impl Strategy<Value = Verdict> {
    proptest::sample::select(&[Verdict::Allow, Verdict::Ask, Verdict::Deny][..])
}

fn sorted(mut all: Vec<(Verdict, PermissionSubject)>) -> Vec<(Verdict, PermissionSubject)> {
    all.sort();
    all
}

proptest! {
    #[test]
    fn an_import_reads_what_sync_wrote(all in proptest::collection::vec((decision(), subject()), 0..8)) {
        // Cursor has no list for questions. Antigravity's rules for edits are about reading too, and its paths are literal.
        let is_for_antigravity = |subject: &PermissionSubject| match subject {
            PermissionSubject::Edit(_) => false,
            PermissionSubject::Read(pattern) => matches!(pattern.as_str(), "a/b" | "/etc/x"),
            _ => true,
        };
        for (tool, has_questions, has_patterns) in [("claude", true, true), ("cursor", false, true), ("antigravity", true, false)] {
            let is_expressed = |(decision, subject): &&(Verdict, PermissionSubject)| {
                (has_questions || *decision != Verdict::Ask) && (has_patterns || is_for_antigravity(subject))
            };
            let own: Vec<_> = all.iter().filter(is_expressed).cloned().collect();
            let page = page(&own);
            let mut files = PermissionFiles::default();
            files.sync(&desired(Some(&page), &format!("files: {{{tool}: {{permissions: true, hooks: true}}}}")));
            // Only the permissions are of interest.
            let texts = files.texts.into_iter().filter(|(path, _)| !path.as_bstr().ends_with(b"hooks.json")).collect();
            prop_assert_eq!(sorted(imported(&texts)), sorted(decisions(&page)), "{} {}", tool, page);
        }
    }
}

const CONFIG: &str = "files:
  claude: {permissions: true}
  cursor: {permissions: true}
  gemini: {permissions: true}
  codex: {permissions: true}
  antigravity: {permissions: true}
  accept_omitted: [gemini/permissions/*, codex/permissions/*, cursor/permissions/*, antigravity/permissions/*]
";

const MODES: [&str; 4] =
    ["", "---\ndefaultMode: plan\n---\n", "---\ndefaultMode: default\n---\n", "---\ndefaultMode: dontAsk\n---\n"];

/// Settings that people wrote; `mine` is where they write more.
const THEIRS: [(&str, &str); 5] = [
    (
        ".claude/settings.json",
        "{\n  // mine\n  \"permissions\": {\"allow\": [\"Bash(ls)\",], \"deny\": [] /* none */},\n}\n",
    ),
    (".cursor/cli.json", "{ /* mine */ \"permissions\": { \"allow\": [ \"Shell(ls)\" ] } }"),
    (".gemini/settings.json", "{\r\n\t// mine\r\n\t\"tools\": {\"exclude\": [\"web_fetch\"]}\r\n}\r\n"),
    (".antigravity/settings.json", "// mine\n{}"),
    (".codex/config.toml", "#:schema x\n# mine\nmodel = \"x\"\n\n[tools] # last\nweb = true"),
];

proptest! {
    #[test]
    fn what_people_wrote_stays_byte_for_byte(
        steps in proptest::collection::vec((proptest::option::of(0..4usize), proptest::collection::vec((decision(), subject()), 0..5), 0..8usize), 1..6),
        exists in proptest::collection::vec(any::<bool>(), 5),
    ) {
        let mut theirs: BTreeMap<RepoPath, String> = THEIRS
            .iter()
            .zip(exists)
            .filter(|(_, exists)| *exists)
            .map(|((path, text), _)| (RepoPath::from(*path), (*text).to_owned()))
            .collect();
        let mut files = PermissionFiles { texts: theirs.clone(), owned: Vec::new() };
        for (n, (mode, all, person)) in steps.iter().enumerate() {
            let text = mode.map(|mode| MODES[mode].to_owned() + &page(all));
            let wanted = desired(text.as_deref(), CONFIG);
            files.sync(&wanted);
            prop_assert_eq!(files.sync(&wanted), 0, "a second sync changes nothing");
            // A person adds a comment.
            if let Some((path, _)) = THEIRS.get(*person) {
                let path = RepoPath::from(*path);
                for texts in [&mut theirs, &mut files.texts] {
                    if let Some(text) = texts.get_mut(&path) {
                        *text = text.replacen("mine", &format!("mine {n}"), 1);
                    }
                }
            }
        }
        files.sync(&desired(None, ""));
        files.texts.retain(|path, _| THEIRS.iter().any(|(own, _)| path.as_bstr() == *own));
        prop_assert_eq!(files.texts, theirs);
        prop_assert_eq!(files.owned.len(), 0);
    }
}
