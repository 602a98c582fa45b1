//! Subagents and commands.

use super::basket::ImportPlan;
use super::front::{Front, NoFront, quoted};
use crate::syntax::RepoPath;
use toml_edit::{DocumentMut, Item};

/// What the origin adds to a frontmatter.
#[derive(Clone, Copy, Default)]
pub(super) struct Habits {
    /// Keys that say nothing to a tool.
    pub own: &'static [&'static str],
    /// A section for Claude Code, whose keys are those of the canon.
    pub lifted: Option<&'static str>,
}

/// What a prompt is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `agents/`
    Subagent,
    /// `commands/`
    Command,
}

/// Takes a Markdown file. `below`: its path below the folder of the canon.
pub(super) fn markdown(basket: &mut ImportPlan<'_>, from: &RepoPath, kind: Kind, rest: (&str, Habits)) {
    let (below, habits) = rest;
    let Some(text) = basket.read(from) else { return };
    let to = folder(basket, kind).join(below);
    let mut told = Vec::new();
    let text = match Front::of(&text) {
        Ok(front) => {
            let mut changes = Vec::new();
            for key in habits.own.iter().filter(|key| front.get(key).is_some()) {
                told.push(format!("`{key}` taken out of its frontmatter"));
                changes.extend(front.without(key));
            }
            if let Some((change, moved)) = habits.lifted.and_then(|section| front.lifted(section)) {
                let section = habits.lifted.unwrap_or_default();
                told.push(format!("what `{section}` says is said for all: {}", listed(&moved)));
                changes.push(change);
            }
            if kind == Kind::Subagent && front.field("name").is_none() {
                told.push("`name` added, from the file's".to_owned());
                changes.push(front.with("name", &quoted(&stem(from))));
            }
            if kind == Kind::Subagent && front.field("description").is_none() {
                basket.leave(
                    from,
                    "its frontmatter has no `description`, which every tool asks for",
                    "add one, then run this again",
                );
                return;
            }
            front.changed(changes)
        }
        Err(NoFront::None) if kind == Kind::Subagent => {
            basket.leave(
                from,
                "it has no frontmatter with `name` and `description`, which every tool asks for",
                "add it, then run this again",
            );
            return;
        }
        Err(NoFront::None) => text,
        Err(NoFront::Broken(why)) => return basket.unreadable(from, why),
    };
    put(basket, from, to, (text, told));
}

/// Takes a file of Codex or of Gemini, which write TOML.
pub(super) fn toml(basket: &mut ImportPlan<'_>, from: &RepoPath, kind: Kind, below: &str) {
    let Some(text) = basket.read(from) else { return };
    let table = match text.parse::<DocumentMut>() {
        Ok(table) => table,
        Err(e) => {
            let line = text[..e.span().map_or(0, |span| span.start)].matches('\n').count() + 1;
            return basket.unreadable(from, format!("line {line}: it cannot be read as TOML: {}", e.message()));
        }
    };
    let field = |key: &str| table.get(key).and_then(Item::as_str).map(str::to_owned);
    let (known, body): (&[&str], _) = match kind {
        Kind::Subagent => (&["name", "description", "developer_instructions"], field("developer_instructions")),
        Kind::Command => (&["description", "prompt"], field("prompt")),
    };
    let Some(body) = body else {
        return basket.leave(from, "it holds no prompt", "");
    };
    if kind == Kind::Command && body.contains("!{") {
        let advice = "write it into the canon with the words of Claude Code: !`command`";
        return basket.leave(from, "its prompt runs commands with `!{…}`, which other tools take for text", advice);
    }
    let mut told = vec!["made Markdown of TOML".to_owned()];
    let lost: Vec<String> =
        table.iter().map(|(key, _)| key.to_owned()).filter(|key| !known.contains(&key.as_str())).collect();
    if !lost.is_empty() {
        told.push(format!("left out: {}", listed(&lost)));
    }
    let mut head = String::new();
    if kind == Kind::Subagent {
        head.push_str(&format!("name: {}\n", quoted(&field("name").unwrap_or_else(|| stem(from)))));
    }
    match field("description") {
        Some(description) => head.push_str(&format!("description: {}\n", quoted(&description))),
        None if kind == Kind::Subagent => {
            return basket.leave(
                from,
                "it has no `description`, which every tool asks for",
                "add one, then run this again",
            );
        }
        None => {}
    }
    let body = if kind == Kind::Command { body.replace("{{args}}", "$ARGUMENTS") } else { body };
    let end = if body.ends_with('\n') { "" } else { "\n" };
    let text = if head.is_empty() { format!("{body}{end}") } else { format!("---\n{head}---\n\n{body}{end}") };
    let to = folder(basket, kind).join(below.strip_suffix(".toml").unwrap_or(below).to_owned() + ".md");
    put(basket, from, to, (text, told));
}

/// Takes it, unless the same prompt was taken from another tool.
fn put(basket: &mut ImportPlan<'_>, from: &RepoPath, to: RepoPath, (text, told): (String, Vec<String>)) {
    let other = basket.pieces.iter().find(|piece| piece.to == to);
    let there = other.and_then(|piece| basket.text_of(piece.files.first()?));
    if let (Some(other), Some(there)) = (other, there)
        && body(&there).trim() == body(&text).trim()
    {
        let why = format!("it says the same as {}, which was taken", other.from);
        return basket.leave(from, why, "");
    }
    basket.take(from, to, text, told);
}

fn body(text: &str) -> &str {
    Front::of(text).map_or(text, |front| front.body())
}

fn folder(basket: &ImportPlan<'_>, kind: Kind) -> RepoPath {
    match kind {
        Kind::Subagent => basket.ground.layout.subagents(),
        Kind::Command => basket.ground.layout.commands(),
    }
}

/// A file's name without its end.
pub(super) fn stem(path: &RepoPath) -> String {
    let name = path.file_name_lossy();
    name.rsplit_once('.').map_or(name.clone(), |(stem, _)| stem.to_owned())
}

/// Names as code.
pub(super) fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
