//! The files that a client reads, compared with `probes.json`, which `cargo xtask probe` writes.

use crate::client::{ALL, Client, for_clients};
use crate::sandbox::Sandbox;
use canonry_model::config::{TOOLS, ToolRow};
use canonry_model::tools::tool_formats::{ContextForm, McpFormat, SubagentFormat};
use canonry_testing::generated::assert_current;
use serde_json::{Map, Value, json};
use std::sync::Mutex;

for_clients!(needs_clients_probe(probe): claude, codex, gemini, copilot, opencode, qwen, grok, cline);

const SERVER: &str = "tools/mcp-server.mjs";
const FILE: &str = "tests/clients/probes.json";

/// Files with instructions that some tool was reported to read, besides those of the table of tools.
const OTHER_CONTEXT: [&str; 11] = [
    "AGENT.md",
    "AGENTS.override.md",
    "AGENTS.local.md",
    ".claude/CLAUDE.md",
    "CLAUDE.local.md",
    "CONTEXT.md",
    "WARP.md",
    ".cursorrules",
    ".windsurfrules",
    ".github/AGENTS.md",
    ".opencode/AGENTS.md",
];

/// Always applies, in the words of every tool.
const ALWAYS: &str = "---\napplyTo: \"**\"\nalwaysApply: true\ntrigger: always_on\ninclusion: always\n---\n\n";

/// A file in which a tool looks for something. Its text has a mark that a model can read.
#[derive(Clone)]
struct Place {
    /// The file or folder that the table of tools has; `~/` is the home.
    path: String,
    file: String,
    text: String,
    mark: String,
}

/// Each place once.
fn places(paths: impl IntoIterator<Item = String>, file: impl Fn(&str, &str) -> (String, String)) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for path in paths {
        if places.iter().all(|place| place.path != path) {
            let mark = format!("PLACE{:03}", places.len());
            let (file, text) = file(&path, &mark);
            places.push(Place { path, file, text, mark });
        }
    }
    places
}

fn skills() -> Vec<Place> {
    let user = TOOLS.iter().filter_map(|row| row.skills.user).map(|folder| format!("~/{folder}"));
    let paths = TOOLS.iter().flat_map(ToolRow::skill_folders).map(str::to_owned).chain(user);
    places(paths, |path, mark| {
        let text =
            format!("---\nname: canary\ndescription: {mark}. Use when a canary is asked for.\n---\n\n# Canary\n");
        (format!("{path}/canary/SKILL.md"), text)
    })
}

fn context() -> Vec<Place> {
    let rows = || TOOLS.iter().flat_map(|row| row.context);
    let paths = rows().map(|row| row.file).chain(OTHER_CONTEXT).map(str::to_owned);
    places(paths, |path, mark| match rows().find(|row| row.file == path).map(|row| row.mode) {
        Some(ContextForm::Rules(folder)) => (format!("{path}/canary{}", folder.extension), format!("{ALWAYS}{mark}\n")),
        _ => (path.to_owned(), format!("# Notes\n\n{mark}\n")),
    })
}

fn subagents() -> Vec<Place> {
    let rows = || TOOLS.iter().filter_map(|row| row.subagents);
    places(rows().map(|row| row.folder.to_owned()), |path, mark| {
        let name = mark.to_lowercase();
        let format = rows().find(|row| row.folder == path).and_then(|row| row.format);
        let text = match format {
            Some(SubagentFormat::CodexToml) => {
                format!("name = \"{name}\"\ndescription = \"{mark}\"\ndeveloper_instructions = \"Watch.\"\n")
            }
            _ => format!("---\nname: {name}\ndescription: {mark}\n---\n\nWatch.\n"),
        };
        (format!("{path}/{name}{}", format.map_or(".md", SubagentFormat::extension)), text)
    })
}

fn servers() -> Vec<Place> {
    let rows = || TOOLS.iter().filter_map(|row| row.mcp);
    places(rows().map(|row| row.path.to_owned()), |path, mark| {
        let row = rows().find(|row| row.path == path).unwrap();
        let server = match row.format {
            McpFormat::CodexToml => {
                let text = format!("[mcp_servers.{mark}]\ncommand = \"node\"\nargs = [\"{SERVER}\"]\n");
                return (path.to_owned(), text);
            }
            McpFormat::OpenCode => json!({"type": "local", "command": ["node", SERVER]}),
            McpFormat::Json(_) => json!({"command": "node", "args": [SERVER]}),
        };
        let root = if row.format == McpFormat::OpenCode { &row.root[..1] } else { row.root };
        let nested = root.iter().rev().fold(json!({mark: server}), |inner, key| json!({*key: inner}));
        (path.to_owned(), nested.to_string())
    })
}

/// A repository and a home with these files.
fn sandbox(places: &[Place]) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.repo.write(SERVER, include_str!("mcp-server.mjs"));
    for place in places {
        match place.file.strip_prefix("~/") {
            Some(file) => sandbox.write_home(file, &place.text),
            None => sandbox.repo.write(&place.file, &place.text),
        }
    }
    sandbox.repo.commit_all("canaries");
    sandbox
}

/// The places that a client reads, in its order: it reads a group together, and a later group only without the earlier ones.
fn ranks(client: &Client, mut places: Vec<Place>, read: fn(&Sandbox, &Client) -> String) -> Vec<Vec<String>> {
    let mut ranks = Vec::new();
    loop {
        let text = read(&sandbox(&places), client);
        let (seen, rest): (Vec<Place>, Vec<Place>) = places.into_iter().partition(|place| text.contains(&place.mark));
        if seen.is_empty() {
            return ranks;
        }
        ranks.push(seen.into_iter().map(|place| place.path).collect());
        places = rest;
    }
}

/// The text that the model reads first.
fn first_request(sandbox: &Sandbox, client: &Client) -> String {
    sandbox.session(client, &[]).seen[0].text()
}

/// The descriptions of the skills that the client reads. Cline 3.0.65 offers only their names, and lists their files.
fn skills_read(sandbox: &Sandbox, client: &Client) -> String {
    if client.id != "cline" {
        return first_request(sandbox, client);
    }
    let listed = offline(sandbox, client, &["cline", "config", "skills"]);
    let files = listed.split(['(', ')']).filter(|word| word.ends_with("SKILL.md"));
    files.map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

/// The servers and subagents that the client lists, starts or offers to its model. Copilot CLI starts more than it lists.
fn listed_or_offered(sandbox: &Sandbox, client: &Client) -> String {
    let text = offline(sandbox, client, client.list_servers) + &first_request(sandbox, client);
    // Grok Build lists subagents by their names, which are in lower case. Gemini CLI lists all files.
    if client.id == "grok" { text.to_uppercase() } else { text }
}

fn offline(sandbox: &Sandbox, client: &Client, argv: &[&str]) -> String {
    let mut command = sandbox.command(argv[0]);
    command.args(&argv[1..]).envs((client.configure)(sandbox, "http://127.0.0.1:9"));
    sandbox.wait(command).expect(0).all()
}

fn version(client: &Client) -> String {
    let text = offline(&Sandbox::empty(), client, &[client.list_servers[0], "--version"]);
    let mut words = text.split_whitespace();
    let is_version = |word: &&str| word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit());
    words.find(is_version).unwrap_or_else(|| panic!("{text}")).trim_end_matches('.').to_owned()
}

/// Whether the client reads skills through a link, and skills whose frontmatter is no valid YAML.
fn leniency(client: &Client) -> (bool, bool) {
    let row = TOOLS.iter().find(|row| row.id == client.id).unwrap();
    let skill = |folder: &str, name: &str, description: &str| {
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n\n# Canary\n");
        Place { path: String::new(), file: format!("{folder}/{name}/SKILL.md"), text, mark: String::new() }
    };
    let mirror = row.skills.mirror;
    let sandbox =
        sandbox(&[skill("real", "linked", "THROUGH-LINK"), skill(mirror, "broken", "NO-YAML: it is: broken")]);
    sandbox.repo.link(&format!("{mirror}/linked"), "../../real/linked");
    let text = skills_read(&sandbox, client);
    (text.contains("THROUGH-LINK"), text.contains("NO-YAML"))
}

/// The folders of skills, the preferred one first, and the client's treatment of a skill that is in all of them.
fn skill_folders(client: &Client) -> Value {
    let all = sandbox(&skills()).session(client, &[]);
    let ranks = ranks(client, skills(), skills_read);
    // OpenCode 1.18.33 reads its folders at the same time, and the last one wins.
    let is_ordered = client.id != "opencode";
    let repeated = if ranks.iter().any(|folders| folders.len() > 1) {
        "lists"
    } else if !all.complaints(client).is_empty() {
        "warns"
    } else if is_ordered {
        "takes the first"
    } else {
        "takes any"
    };
    let mut folders = ranks.concat();
    if !is_ordered {
        folders.sort();
    }
    json!({"folders": folders, "repeated": repeated})
}

fn probe(client: &Client) {
    let (follows_links, reads_invalid_yaml) = leniency(client);
    let mut found = json!({
        "version": version(client),
        "date": jiff::Zoned::now().date().to_string(),
        "skills": skill_folders(client),
        "follows_links": follows_links,
        "reads_invalid_yaml": reads_invalid_yaml,
        // A group is read together, and a later group only without the earlier ones.
        "context": ranks(client, context(), first_request),
        "subagents": ranks(client, subagents(), listed_or_offered).concat(),
        "servers": ranks(client, servers(), listed_or_offered).concat(),
    });
    // The tests run at the same time, and the file is written as a whole.
    static WRITER: Mutex<()> = Mutex::new(());
    let _guard = WRITER.lock();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let mut known: Map<String, Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    if let Some(known) = known.get(client.id) {
        let date = std::mem::replace(&mut found["date"], known["date"].clone());
        if found != *known {
            found["date"] = date;
        }
    }
    known.insert(client.id.to_owned(), found);
    let sorted: Map<String, Value> = ALL.iter().filter_map(|id| Some(((*id).to_owned(), known.remove(*id)?))).collect();
    assert_current(FILE, &format!("{:#}\n", Value::Object(sorted)));
}
