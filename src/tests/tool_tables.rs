//! The tables of `docs/reference/tools.md` come from the table of tools.

use crate::tests::config_schema;
use canonry_model::config::tool_formats::ContextForm;
use canonry_model::config::unenforced::UNENFORCED;
use canonry_model::config::{EvidenceLevel, RepeatedSkill, TOOLS, ToolRow, ToolStatus};
use std::fmt::Write as _;
use std::path::Path;

/// The behaviour that a file of `tests/clients` proves with the tools themselves.
struct ClientTest {
    file: &'static str,
    /// Ids of the tools.
    tools: &'static [&'static str],
}

const ALL_CLIENTS: &[&str] = &["claude", "codex", "gemini", "copilot", "opencode", "qwen"];

const CLIENT_TESTS: [ClientTest; 8] = [
    ClientTest { file: "context.rs", tools: ALL_CLIENTS },
    ClientTest { file: "lists.rs", tools: ALL_CLIENTS },
    ClientTest { file: "guards.rs", tools: &["claude", "codex", "gemini"] },
    ClientTest { file: "guards.rs", tools: &["copilot", "opencode", "qwen"] },
    ClientTest { file: "workers.rs", tools: ALL_CLIENTS },
    ClientTest { file: "import.rs", tools: ALL_CLIENTS },
    ClientTest { file: "subagents.rs", tools: &["claude", "codex", "gemini", "copilot"] },
    ClientTest { file: "pack.rs", tools: &["claude", "codex"] },
];

/// The npm package of a client.
fn package(tool: &str) -> &'static str {
    match tool {
        "claude" => "@anthropic-ai/claude-code",
        "codex" => "@openai/codex",
        "gemini" => "@google/gemini-cli",
        "copilot" => "@github/copilot",
        "opencode" => "opencode-ai",
        "qwen" => "@qwen-code/qwen-code",
        other => panic!("no client `{other}`"),
    }
}

/// The version of a client that the tests start.
fn client_version(tool: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/package.json");
    let pinned: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    pinned["dependencies"][package(tool)].as_str().unwrap().to_owned()
}

#[test]
fn every_client_of_the_tests_is_evidence() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/client");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut clients: Vec<String> = files.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    clients.sort();
    let mut known = ALL_CLIENTS.to_vec();
    known.sort_unstable();
    assert_eq!(clients, known, "the files in tests/clients/client, and `ALL_CLIENTS`");
}

#[test]
fn tests_of_clients_start_the_tools_that_they_are_evidence_for() {
    for test in CLIENT_TESTS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(test.file);
        let source = std::fs::read_to_string(path).unwrap();
        for tool in test.tools {
            assert!(source.contains(tool), "{} does not start {tool}", test.file);
        }
    }
}

fn restrictions() -> String {
    let mut text = "| restriction | in | what happens | what holds |\n|---|---|---|---|\n".to_owned();
    for row in UNENFORCED {
        let remedy = row.remedy.unwrap_or("-");
        let name = |id: &str| TOOLS.iter().find(|row| row.id == id).unwrap().name;
        let seen = row.tools.iter().map(|(id, version)| format!("{} {version}", name(id)));
        writeln!(text, "| {} | {} | {} | {remedy} |", row.restriction, list(seen), row.effect).unwrap();
    }
    text
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn list(texts: impl IntoIterator<Item = String>) -> String {
    let texts: Vec<String> = texts.into_iter().collect();
    if texts.is_empty() { "-".to_owned() } else { texts.join(", ") }
}

fn status(row: &ToolRow) -> String {
    match row.status {
        ToolStatus::Active => String::new(),
        ToolStatus::Legacy(text) | ToolStatus::Ended(text) => format!(" ({text})"),
    }
}

fn skills(row: &ToolRow) -> String {
    let repeated = match row.skills.repeated {
        RepeatedSkill::Lists => "listed each time",
        RepeatedSkill::Warns => "warns",
        RepeatedSkill::TakesOne => "takes one",
        RepeatedSkill::Unknown => "unknown",
    };
    let links = if row.skills.ignores_links.is_empty() { "-" } else { "not followed" };
    format!(
        "| `{}` | {}{} | `{}` | {} | {} | {repeated} | {links} | {} |\n",
        row.id,
        row.name,
        status(row),
        row.skills.mirror,
        list(row.skills.also_reads.iter().map(|folder| code(folder))),
        row.skills.user.map_or("-".to_owned(), |folder| code(&format!("~/{folder}"))),
        list(row.keys.iter().map(|key| code(key))),
    )
}

fn files(row: &ToolRow) -> String {
    let context = row.context.iter().map(|file| {
        let form = match file.mode {
            ContextForm::Text => "",
            ContextForm::Import(_) => " (imports)",
            ContextForm::Rules(_) => " (rules)",
        };
        let limit = file.limit.map(|limit| format!(", {limit}")).unwrap_or_default();
        format!("`{}`{form}{limit}", file.file)
    });
    let mcp = row.mcp.as_ref().map(|mcp| {
        let variables = mcp.variables().map(|form| format!(", `{form}`")).unwrap_or_default();
        format!("`{}`: `{}`, `{}`{variables}", mcp.path, mcp.root.join("`.`"), mcp.url_key())
    });
    let hooks = row.hooks.as_ref().map(|hooks| {
        let before = row.hook_event("pre-tool").unwrap_or("-");
        format!("`{}`: `{}`, {}; on failure {}", hooks.path, before, hooks.unit.name(), hooks.on_error)
    });
    let permissions = row
        .permissions
        .as_ref()
        .map(|rules| format!("`{}`: `{}`", rules.commands.unwrap_or(rules.path), rules.grammar.example()));
    let dash = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
    format!(
        "| `{}` | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        row.id,
        list(schema_switches(row.id).iter().map(|key| code(key))),
        list(context),
        dash(mcp),
        dash(row.subagents.map(|subagents| code(subagents.folder))),
        dash(row.commands.map(|commands| code(commands.folder))),
        dash(hooks),
        dash(permissions),
        dash(row.plugin.map(code)),
    )
}

/// One row: the version that the tests start, and what is verified or reported, with links to the sources.
fn evidence(row: &ToolRow) -> String {
    let tested = CLIENT_TESTS.iter().any(|test| test.tools.contains(&row.id)).then(|| client_version(row.id));
    let facts = |level: EvidenceLevel| {
        let facts = row.evidence.iter().filter(|evidence| evidence.level == level);
        list(facts.map(|evidence| match evidence.source.split(' ').next() {
            Some(address) if address.starts_with("https://") => {
                format!("[{}]({})", evidence.about, address.trim_end_matches([',', ':']))
            }
            _ => evidence.about.to_owned(),
        }))
    };
    format!(
        "| `{}` | {} | {} | {} |\n",
        row.id,
        tested.as_deref().unwrap_or("-"),
        facts(EvidenceLevel::Verified),
        facts(EvidenceLevel::Reported)
    )
}

fn tables() -> String {
    let all = |row: fn(&ToolRow) -> String| TOOLS.iter().map(row).collect::<String>();
    format!(
        "\n### Skills\n\n\
         | name | tool | canonry writes | also reads | the user's own | a skill in several folders | links | keys |\n\
         |---|---|---|---|---|---|---|---|\n{}\n\
         ### Other files\n\n\
         The column \"canonry writes\" has the keys below `files.NAME`; [generated files](#generated-files) has the details.\n\n\
         | name | canonry writes | context | MCP: file, keys, variables | subagents | commands | hooks: file, event, timeouts | permissions | plugin |\n\
         |---|---|---|---|---|---|---|---|---|\n{}\n\
         ### Evidence\n\n\
         Tested: `tests/clients` starts this version. Verified: read in the tool's source or documentation. Reported by others:\n\
         check that your version behaves this way before you rely on it.\n\n\
         | name | tested | verified | reported |\n|---|---|---|---|\n{}\n",
        all(skills),
        all(files),
        all(evidence)
    )
}

#[test]
fn generated_tables_of_the_tools_page_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/tools.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut updated = page;
    for (name, table) in [("restrictions", restrictions()), ("tools", tables())] {
        let start = format!("<!-- {name}: start -->\n");
        let end = format!("<!-- {name}: end -->\n");
        let (before, rest) = updated.split_once(&start).unwrap();
        let (_, after) = rest.split_once(&end).unwrap();
        updated = format!("{before}{start}{table}{end}{after}");
    }
    canonry_testing::generated::assert_current("docs/reference/tools.md", &updated);
}

/// The switches of a tool below `files` in the schema of the config.
fn schema_switches(id: &str) -> Vec<String> {
    let schema: serde_json::Value = serde_json::from_str(&config_schema::updated()).unwrap();
    let keys = schema["properties"]["files"]["properties"][id]["properties"].as_object().cloned().unwrap_or_default();
    keys.into_iter().map(|(key, _)| key).collect()
}
