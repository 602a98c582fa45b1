//! The tables of `docs/reference/tools.md` come from the table of tools.

use crate::tests::config_schema;
use canonry_model::config::restrictions::RESTRICTIONS;
use canonry_model::config::{
    EvidenceLevel, HookTool, MemoryScope, NameConflict, RepeatedSkill, TOOLS, ToolMemory, ToolRow, ToolStatus, tool_row,
};
use canonry_model::tools::hook_form::TEAM;
use canonry_model::tools::tool_formats::ContextForm;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// The files that the clients read, by the id of the tool: see `tests/clients/probes.rs`.
fn probes() -> serde_json::Map<String, Value> {
    read("tests/clients/probes.json")
}

fn read<T: serde::de::DeserializeOwned>(file: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The texts of nested lists.
fn texts(list: &Value) -> Vec<&str> {
    match list {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        other => panic!("{other}"),
    }
}

#[test]
fn the_pinned_clients_are_probed() {
    let pinned: Value = read("tests/clients/package.json");
    let mut pinned: Vec<String> = serde_json::from_value::<BTreeMap<String, String>>(pinned["dependencies"].clone())
        .unwrap()
        .into_values()
        .collect();
    let mut probed: Vec<String> =
        probes().values().map(|probe| probe["version"].as_str().unwrap().to_owned()).collect();
    pinned.sort();
    probed.sort();
    assert_eq!(pinned, probed, "run `cargo xtask probe`");
}

#[test]
fn the_table_of_tools_says_what_the_clients_read() {
    for (id, probe) in probes() {
        let row = tool_row(&id).unwrap();
        let (users, folders): (Vec<&str>, Vec<&str>) =
            texts(&probe["skills"]["folders"]).into_iter().partition(|folder| folder.starts_with("~/"));
        let mut known: Vec<&str> = row.skill_folders().collect();
        let does = probe["skills"]["repeated"].as_str().unwrap();
        if does == "takes the first" {
            // Cline prefers another folder to its own.
            let others: Vec<&str> = folders.iter().copied().filter(|folder| *folder != row.skills.mirror).collect();
            assert_eq!(known[1..], others, "{id}: the order of its folders");
        }
        let mut read = folders.clone();
        known.sort_unstable();
        read.sort_unstable();
        assert_eq!(known, read, "{id}: its folders of skills");
        assert!(users.contains(&format!("~/{}", row.skills.user.unwrap()).as_str()), "{id}: {users:?}");
        let repeated = match does {
            "lists" => RepeatedSkill::Lists,
            "warns" => RepeatedSkill::Warns,
            _ => RepeatedSkill::TakesOne,
        };
        assert!(folders.len() == 1 || row.skills.repeated == repeated, "{id} {does}");
        let same_name = match does {
            "lists" => Some(NameConflict::ListsBoth),
            "takes the first" if texts(&probe["skills"]["folders"])[0].starts_with("~/") => {
                Some(NameConflict::TakesUsers)
            }
            _ => None,
        };
        assert_eq!(row.skills.same_name, same_name, "{id}: skills of user and repository");
        assert_eq!(row.skills.ignores_links.is_empty(), probe["follows_links"] == true, "{id}: links");

        let context = row.context.iter().map(|context| context.file).chain(row.also_reads.iter().copied());
        let context: Vec<&str> = context.collect();
        let read: Vec<&str> = ["context", "subagents", "servers"].iter().flat_map(|kind| texts(&probe[kind])).collect();
        let written = [row.subagents.map(|row| row.folder), row.mcp.map(|row| row.path)];
        for path in &read {
            assert!(context.contains(path) || written.contains(&Some(path)), "{id} reads {path}");
        }
        for path in context {
            assert!(read.contains(&path), "{id} does not read {path}");
        }
    }
}

fn restrictions() -> String {
    let mut text = "| restriction | holds in | does not hold in | what happens there | what holds there | shown by |\n\
                    |---|---|---|---|---|---|\n"
        .to_owned();
    for row in RESTRICTIONS {
        let tools = |holds: bool| {
            let results = row.results.iter().filter(|result| result.holds == holds);
            list(results.map(|result| {
                let name = |tool| tool_row(tool).unwrap().name;
                let weaker = match result.test {
                    None => " (reported)".to_owned(),
                    Some(_) if result.written_for == result.tool => String::new(),
                    Some(_) => format!(" (in the file of {})", name(result.written_for)),
                };
                format!("{} {}{weaker}", name(result.tool), result.version)
            }))
        };
        let tests: BTreeSet<&str> = row.results.iter().filter_map(|result| result.test).collect();
        let effect = if row.effect.is_empty() { "-" } else { row.effect };
        writeln!(
            text,
            "| {} | {} | {} | {effect} | {} | {} |",
            row.name,
            tools(true),
            tools(false),
            row.remedy.unwrap_or("-"),
            list(tests.into_iter().map(code))
        )
        .unwrap();
    }
    text
}

#[test]
fn client_tests_show_whether_restrictions_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let sources = files.filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
    let source: String = sources.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let probes = probes();
    for result in RESTRICTIONS.iter().flat_map(|row| row.results) {
        let Some(test) = result.test else { continue };
        let start = format!("for_clients!({test}(");
        let line = source.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no test {test}"));
        assert!(line.contains(result.tool), "{test} does not start {}", result.tool);
        assert_eq!(result.version, probes[result.tool]["version"], "{}", result.tool);
    }
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn list(texts: impl IntoIterator<Item = String>) -> String {
    joined(texts.into_iter().collect(), ", ")
}

fn joined(texts: Vec<String>, separator: &str) -> String {
    if texts.is_empty() { "-".to_owned() } else { texts.join(separator) }
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
    let links = if !row.skills.ignores_links.is_empty() {
        "not followed"
    } else if probes().contains_key(row.id) {
        "followed"
    } else {
        "unknown"
    };
    format!(
        "| `{}` | {}{} | `{}` | {} | {} | {repeated} | {links} | {} | {} |\n",
        row.id,
        row.name,
        status(row),
        row.skills.mirror,
        list(row.skills.also_reads.iter().map(|folder| code(folder))),
        row.skills.user.map_or("-".to_owned(), |folder| code(&format!("~/{folder}"))),
        list(row.keys.iter().map(|key| code(key))),
        proof(row),
    )
}

/// The source of a row: the version that was probed, or the weaker evidence.
fn proof(row: &ToolRow) -> String {
    let Some(probe) = probes().remove(row.id) else {
        let first = &row.evidence[0];
        let level = match first.level {
            EvidenceLevel::Verified => "documentation",
            EvidenceLevel::Reported => "reported",
        };
        return format!("{level}, {}", first.date);
    };
    format!("{}, {}", probe["version"].as_str().unwrap(), probe["date"].as_str().unwrap())
}

/// One row: the files that a client was seen to read.
fn probed(row: &ToolRow) -> String {
    let Some(probe) = probes().remove(row.id) else { return String::new() };
    let paths = |paths: &Value| list(texts(paths).into_iter().map(code));
    let context = probe["context"].as_array().unwrap().iter().map(paths).collect();
    let does = match probe["skills"]["repeated"].as_str().unwrap() {
        "lists" => "all of ",
        "takes any" => "any of ",
        _ => "first of ",
    };
    let yaml = if probe["reads_invalid_yaml"] == true { "read" } else { "skipped" };
    format!(
        "| {} | {does}{} | {yaml} | {} | {} | {} |\n",
        row.name,
        paths(&probe["skills"]["folders"]),
        joined(context, "; without these "),
        paths(&probe["servers"]),
        paths(&probe["subagents"]),
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
        let before = hooks.form.name_of("pre-tool").unwrap_or("-");
        format!("`{}`: `{}`, {}; on failure {}", hooks.path, before, hooks.form.unit.name(), hooks.on_error)
    });
    let permissions = row
        .permissions
        .as_ref()
        .map(|rules| format!("`{}`: `{}`", rules.commands.unwrap_or(rules.path), rules.grammar.example()));
    let dash = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
    format!(
        "| `{}` | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        row.id,
        list(schema_switches(row.id).iter().map(|key| code(key))),
        list(context),
        dash(mcp),
        list(row.also_reads.iter().map(|file| code(file))),
        dash(row.subagents.map(|subagents| code(subagents.folder))),
        dash(row.commands.map(|commands| code(commands.folder))),
        dash(hooks),
        dash(permissions),
        dash(row.plugin.map(code)),
    )
}

/// The events of hooks.yaml, and their names in each tool.
fn events() -> String {
    let tools = || HookTool::all().iter();
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let header = row(std::iter::once("event".to_owned()).chain(tools().map(|tool| tool.row.name.to_owned())).collect());
    let line = format!("|{}\n", "---|".repeat(tools().count() + 1));
    let rows = TEAM.events.iter().map(|event| {
        let names = tools().map(|tool| tool.hooks.form.name_of(event.name).map_or_else(|| "-".to_owned(), code));
        row(std::iter::once(code(event.name)).chain(names).collect())
    });
    format!("{header}{line}{}", rows.collect::<String>())
}

/// One row for each memory that a tool keeps.
fn memories(row: &ToolRow) -> String {
    let line = |memory: &ToolMemory| {
        let scope = match memory.scope {
            MemoryScope::Everything => "all repositories",
            MemoryScope::Repository => "the worktrees of a repository",
            MemoryScope::WorkTree => "-",
        };
        format!("| {} | `~/{}` | {scope} |\n", row.name, memory.folder)
    };
    row.memories.iter().map(line).collect()
}

/// One row: what is verified or reported, with links to the sources.
fn evidence(row: &ToolRow) -> String {
    let facts = |level: EvidenceLevel| {
        let facts = row.evidence.iter().filter(|evidence| evidence.level == level);
        list(facts.map(|evidence| match evidence.source.split(' ').next() {
            Some(address) if address.starts_with("https://") => {
                format!("[{}]({})", evidence.about, address.trim_end_matches([',', ':']))
            }
            _ => evidence.about.to_owned(),
        }))
    };
    format!("| `{}` | {} | {} |\n", row.id, facts(EvidenceLevel::Verified), facts(EvidenceLevel::Reported))
}

fn tables() -> String {
    let all = |row: fn(&ToolRow) -> String| TOOLS.iter().map(row).collect::<String>();
    format!(
        "\n### Skills\n\n\
         Proven by: the version that `cargo xtask probe` started and the day, or the weaker source and its month.\n\n\
         | name | tool | canonry writes | also reads | the user's own | a skill in several folders | links | keys | proven by |\n\
         |---|---|---|---|---|---|---|---|---|\n{}\n\
         ### Other files\n\n\
         The column \"canonry writes\" has the keys below `files.NAME`; [generated files](#generated-files) has the details.\n\n\
         | name | canonry writes | context | MCP: file, keys, variables | also reads | subagents | commands | hooks: file, event, timeouts | permissions | plugin |\n\
         |---|---|---|---|---|---|---|---|---|---|\n{}\n\
         ### Seen with the tools\n\n\
         The skill of a name that is in several folders, a skill whose frontmatter is no valid YAML, and the files that the\n\
         tool reads by default.\n\n\
         | tool | same name | invalid YAML | context | MCP servers | subagents |\n|---|---|---|---|---|---|\n{}\n\
         ### Memories that tools keep\n\n\
         `canonry doctor` lists those that exist, with their size. `{{path}}` is the path of the worktree with `-` for everything\n\
         but letters and digits, `{{slug}}` its name in `~/.gemini/projects.json`.\n\n\
         | tool | folder | shared by |\n|---|---|---|\n{}\n\
         ### Evidence\n\n\
         Verified: read in the tool's source or documentation. Reported by others: check that your version behaves this way\n\
         before you rely on it.\n\n\
         | name | verified | reported |\n|---|---|---|\n{}\n",
        all(skills),
        all(files),
        all(probed),
        all(memories),
        all(evidence)
    )
}

#[test]
fn generated_tables_of_the_tools_page_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/tools.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut updated = page;
    for (name, table) in [("events", events()), ("restrictions", restrictions()), ("tools", tables())] {
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
