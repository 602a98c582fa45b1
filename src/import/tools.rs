//! The tools' own folders and files.

use super::basket::ImportPlan;
use super::permissions::Permissions;
use super::prompts::{self, Habits, Kind};
use super::servers::Servers;
use super::{Ground, json, ruler, rules, skills, trellis};
use crate::canon::permissions::Decision;
use crate::config::Target;
use crate::syntax::RepoPath;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use toml_edit::{DocumentMut, Item};

/// What is looked at. Not all of the tools' folders: some keep whole checkouts there.
pub(super) const PLACES: &[&str] = &[
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".cursorrules",
    ".mcp.json",
    ".claude/CLAUDE.md",
    ".claude/skills",
    ".claude/agents",
    ".claude/commands",
    ".claude/rules",
    ".claude/settings.json",
    ".gemini/skills",
    ".gemini/agents",
    ".gemini/commands",
    ".gemini/settings.json",
    ".cursor/skills",
    ".cursor/agents",
    ".cursor/commands",
    ".cursor/rules",
    ".cursor/mcp.json",
    ".cursor/hooks.json",
    ".codex/skills",
    ".codex/agents",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".antigravity/skills",
    ".agents/skills",
    ".agents/agents",
    ".agents/workflows",
    ".agents/rules",
    ".agents/mcp_config.json",
    ".trellis/.template-hashes.json",
];

/// Folders of prompts: with what they hold and whose they are.
const PROMPTS: [(&str, Kind, Target); 9] = [
    (".claude/agents", Kind::Subagent, Target::Claude),
    (".cursor/agents", Kind::Subagent, Target::Cursor),
    (".gemini/agents", Kind::Subagent, Target::Gemini),
    (".codex/agents", Kind::Subagent, Target::Codex),
    (".agents/agents", Kind::Subagent, Target::Antigravity),
    (".claude/commands", Kind::Command, Target::Claude),
    (".cursor/commands", Kind::Command, Target::Cursor),
    (".gemini/commands", Kind::Command, Target::Gemini),
    (".agents/workflows", Kind::Command, Target::Antigravity),
];
/// Files with servers.
const SERVERS: [(&str, Target); 4] = [
    (".mcp.json", Target::Claude),
    (".cursor/mcp.json", Target::Cursor),
    (".gemini/settings.json", Target::Gemini),
    (".agents/mcp_config.json", Target::Antigravity),
];
/// Texts that a tool reads at the start, the one that counts first.
const TEXTS: [&str; 4] = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"];

/// Whether a tool has anything.
pub(super) fn is_there(ground: &Ground<'_>) -> bool {
    PLACES
        .iter()
        .filter(|place| !place.starts_with(".trellis"))
        .any(|place| ground.has(place) || ground.has_below(place))
}

/// Takes them.
pub(super) fn take(basket: &mut ImportPlan<'_>) {
    let own = of_trellis(basket);
    basket.next.push(
        "where a tool has in other words what the canon says, `canonry sync` refuses to write over it: `canonry sync --diff` \
         shows what differs, `canonry sync --force` puts the canon's there and keeps a copy"
            .to_owned(),
    );
    texts(basket);
    cursor_rules(basket);
    for target in Target::ALL {
        let root = target.skills_root();
        if basket.is_folder(&root) && !skills::take(basket, &root.to_display(), &|_| false).is_empty() {
            basket.reach.skills.insert(target);
        }
    }
    for (folder, kind, tool) in PROMPTS {
        prompts_in(basket, folder, kind, tool);
    }
    basket.pieces.retain(|piece| !own.contains(&piece.from));
    let mut servers = Servers::default();
    for (file, tool) in SERVERS.into_iter().filter(|(file, _)| basket.ground.has(file)).collect::<Vec<_>>() {
        if servers.file(basket, &RepoPath::from(file)) {
            basket.reach.had(tool, "mcp");
        }
    }
    codex(basket, &mut servers);
    servers.finish(basket);
    claude_settings(basket);
    for file in [".cursor/hooks.json", ".codex/hooks.json"]
        .into_iter()
        .filter(|file| basket.ground.has(file))
        .collect::<Vec<_>>()
    {
        basket.leave(
            &RepoPath::from(file),
            "the canon has no hooks of a team's own",
            "they stay where they are, and work as before",
        );
    }
}

impl ImportPlan<'_> {
    /// Whether a folder of its own stands there; of a link it is told.
    fn is_folder(&mut self, path: &RepoPath) -> bool {
        !self.ground.files.contains_key(path) || self.is_file(path)
    }
}

/// What Trellis put into the tools' folders and nobody changed.
fn of_trellis(basket: &mut ImportPlan<'_>) -> BTreeSet<RepoPath> {
    let path = RepoPath::from(".trellis/.template-hashes.json");
    let Ok(text) = basket.ground.text(&path) else { return BTreeSet::new() };
    let templates: BTreeMap<RepoPath, String> = trellis::templates(&text);
    let unchanged = |path: &RepoPath, hash: &String| {
        basket.ground.look.read(path).is_ok_and(|bytes| trellis::sha256(&bytes).as_ref() == Some(hash))
    };
    let looked_at = templates.iter().filter(|(path, _)| basket.ground.files.contains_key(*path));
    let mut own: BTreeSet<RepoPath> =
        looked_at.filter(|(path, hash)| unchanged(path, hash)).map(|(path, _)| path.clone()).collect();
    // Of a skill its document speaks for the folder.
    let folders: Vec<RepoPath> =
        own.iter().filter(|path| path.file_name() == "SKILL.md").filter_map(RepoPath::parent).collect();
    own.extend(folders);
    if !own.is_empty() {
        let why = format!("{} files in the tools' folders are Trellis' own, as it put them there", own.len());
        basket.leave(&path, why, "");
    }
    own
}

/// The first text is the map; what the others say beside it is for a person to sort out.
fn texts(basket: &mut ImportPlan<'_>) {
    let mut first: Option<(RepoPath, String)> = None;
    for file in TEXTS {
        let path = RepoPath::from(file);
        if !basket.ground.has(file) {
            continue;
        }
        let Some(text) = basket.read(&path) else { continue };
        let says = text.trim();
        let is_import =
            says.lines().all(|line| matches!(line.trim(), "" | "@AGENTS.md" | "@./AGENTS.md" | "@../AGENTS.md"));
        match &first {
            _ if is_import => {}
            None => {
                rules::map(basket, &path, &text, Vec::new());
                first = Some((path, text));
            }
            Some((_, map)) if map.trim() == says => {}
            Some((map, _)) => {
                let why = format!("it is not the same as {map}, which was taken");
                basket.leave(
                    &path,
                    why,
                    "put what is for every tool into agent/AGENTS.md; the rest may stay, sync leaves it",
                );
            }
        }
    }
    if let Some((path, _)) = first {
        basket.next.push(format!(
            "to have {path} made from agent/AGENTS.md, take its text out and switch `files: {{agents: {{context: map}}}}` on; until then both say it"
        ));
    }
}

fn cursor_rules(basket: &mut ImportPlan<'_>) {
    let all: Vec<RepoPath> = [".claude/rules", ".cursor/rules", ".agents/rules"]
        .iter()
        .flat_map(|folder| basket.ground.below(folder))
        .map(|(path, _)| path)
        .collect();
    for path in all {
        let below = path.components().skip(2).fold(RepoPath::default(), |below, part| below.join(part)).to_display();
        if !below.ends_with(".mdc") && !below.ends_with(".md") {
            basket.leave(&path, "no tool reads it as a rule", "");
            continue;
        }
        let Some(text) = basket.read(&path) else { continue };
        let (text, told) = rules::of_cursor(&text);
        rules::policy(basket, &path, &below, (&text, told));
    }
    if let Some(text) =
        basket.ground.has(".cursorrules").then(|| basket.read(&RepoPath::from(".cursorrules"))).flatten()
    {
        rules::policy(basket, &RepoPath::from(".cursorrules"), "cursorrules.md", (&text, Vec::new()));
    }
}

fn prompts_in(basket: &mut ImportPlan<'_>, folder: &str, kind: Kind, tool: Target) {
    let root = RepoPath::from(folder);
    let before = basket.pieces.len() + basket.left.len();
    for path in basket.ground.below(folder).map(|(path, _)| path).collect::<Vec<_>>() {
        let below = path.below(&root).unwrap_or_default().to_string();
        match (below.ends_with(".md"), below.ends_with(".toml")) {
            (true, _) => prompts::markdown(basket, &path, kind, (&below, Habits::default())),
            (_, true) => prompts::toml(basket, &path, kind, &below),
            _ => basket.leave(&path, "it is no prompt", ""),
        }
    }
    if basket.pieces.len() + basket.left.len() > before {
        basket.reach.had(tool, if kind == Kind::Subagent { "subagents" } else { "commands" });
    }
}

fn codex(basket: &mut ImportPlan<'_>, servers: &mut Servers) {
    let path = RepoPath::from(".codex/config.toml");
    if !basket.ground.has(".codex/config.toml") {
        return;
    }
    let Some(text) = basket.read(&path) else { return };
    let Ok(table) = text.parse::<DocumentMut>() else { return basket.unreadable(&path, "it cannot be read as TOML") };
    let Some(all) = table.get("mcp_servers").and_then(Item::as_table_like) else { return };
    basket.reach.had(Target::Codex, "mcp");
    for (name, item) in all.iter() {
        servers.add(basket, &path, name, &of_codex(ruler::json(item)));
    }
}

/// A server in the words of Claude Code.
fn of_codex(server: Value) -> Value {
    let Value::Object(mut server) = server else { return server };
    let variable = |name: &str| Value::from(format!("${{{name}}}"));
    let put = |section: &str, pairs: Vec<(String, Value)>, server: &mut serde_json::Map<String, Value>| {
        let there = server.entry(section).or_insert_with(|| Value::Object(serde_json::Map::new()));
        if let Value::Object(there) = there {
            there.extend(pairs);
        }
    };
    if let Some(names) = server.shift_remove("env_vars") {
        let pairs = json::texts(Some(&names)).into_iter().map(|name| (name.clone(), variable(&name))).collect();
        put("env", pairs, &mut server);
    }
    if let Some(Value::Object(headers)) = server.shift_remove("http_headers") {
        put("headers", headers.into_iter().collect(), &mut server);
    }
    if let Some(Value::Object(headers)) = server.shift_remove("env_http_headers") {
        let pairs = headers.into_iter().filter_map(|(key, value)| Some((key, variable(value.as_str()?)))).collect();
        put("headers", pairs, &mut server);
    }
    if let Some(Value::String(name)) = server.shift_remove("bearer_token_env_var") {
        put("headers", vec![("Authorization".to_owned(), Value::from(format!("Bearer ${{{name}}}")))], &mut server);
    }
    if server.contains_key("url") && !server.contains_key("type") {
        server.insert("type".to_owned(), Value::from("http"));
    }
    Value::Object(server)
}

fn claude_settings(basket: &mut ImportPlan<'_>) {
    let path = RepoPath::from(".claude/settings.json");
    if !basket.ground.has(".claude/settings.json") {
        return;
    }
    let Some(text) = basket.read(&path) else { return };
    let object = match json::object(&text) {
        Ok(object) => object,
        Err(why) => return basket.unreadable(&path, why),
    };
    if object.contains_key("hooks") {
        basket.leave(
            &path,
            "`hooks`: the canon has no hooks of a team's own",
            "they stay where they are, and work as before",
        );
    }
    let Some(Value::Object(given)) = object.get("permissions") else { return };
    let mut permissions = Permissions::default();
    for (key, decision) in [("allow", Decision::Allow), ("ask", Decision::Ask), ("deny", Decision::Deny)] {
        json::texts(given.get(key)).iter().for_each(|entry| permissions.claude(decision, entry));
    }
    permissions.finish(basket, &path);
    basket.reach.had(Target::Claude, "permissions");
}
