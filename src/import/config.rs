//! The config that matches what the origin wrote.

use super::basket::ImportPlan;
use crate::config::Target;
use std::collections::BTreeSet;

/// The text of a config; `None` where there is nothing to say.
pub(super) fn text(basket: &ImportPlan<'_>, origin: &str) -> Option<String> {
    let reach = &basket.reach;
    let mut text = String::new();
    let targets = reach.targets();
    if !targets.is_empty() && targets != Target::DEFAULT {
        text.push_str(&format!("targets: [{}]\n", names(&targets)));
    }
    let files = files(basket);
    if !files.is_empty() {
        text.push_str(&format!("files:\n{files}"));
    }
    if !reach.narrow.is_empty() {
        text.push_str("skills:\n");
        for (skill, of) in &reach.narrow {
            // Whoever reads `.agents/skills` is reached by it.
            let of: BTreeSet<Target> =
                of.iter().map(|t| if targets.contains(t) { *t } else { Target::Agents }).collect();
            let of: Vec<Target> = of.into_iter().filter(|target| targets.contains(target)).collect();
            text.push_str(&format!("  {skill}: {{targets: [{}]}}\n", names(&of)));
        }
    }
    let head = format!("# Made by `canonry import` from {origin}: the tools it wrote for. Every key has a default.\n");
    (!text.is_empty()).then(|| head + &text)
}

fn names(targets: &[Target]) -> String {
    targets.iter().map(|target| target.name()).collect::<Vec<_>>().join(", ")
}

/// The switches, where there is something to write with them.
fn files(basket: &ImportPlan<'_>) -> String {
    let (reach, layout) = (&basket.reach, basket.ground.layout);
    let has = |path| basket.gives(&path);
    let context = reach.context && has(layout.map());
    let mut text = String::new();
    if context {
        let how = if has(layout.policies()) { "full" } else { "map" };
        text.push_str(&format!("  agents: {{context: {how}}}\n"));
    }
    let all = [
        (has(layout.mcp()), "mcp"),
        (has(layout.permissions()), "permissions"),
        (has(layout.subagents()), "subagents"),
        (has(layout.commands()), "commands"),
    ];
    for tool in Target::DEFAULT.iter().filter(|tool| reach.tools.contains(tool)) {
        let imports = context && matches!(tool, Target::Claude | Target::Gemini);
        let mut switches: Vec<String> = imports.then(|| "context: import".to_owned()).into_iter().collect();
        let known = |switch: &str| match tool {
            Target::Claude => true,
            // Its permissions are switched off in the tool, and Codex has skills for commands.
            Target::Gemini => switch != "permissions",
            Target::Codex => switch != "commands",
            // Cursor has no list for what is asked for.
            Target::Cursor => switch != "permissions",
            Target::Antigravity => switch != "permissions",
            Target::Agents => false,
        };
        let had = |switch: &'static str| reach.had.is_empty() || reach.had.contains(&(*tool, switch));
        let on = all.iter().filter(|(there, switch)| *there && known(switch) && had(switch));
        switches.extend(on.map(|(_, switch)| format!("{switch}: true")));
        if !switches.is_empty() {
            text.push_str(&format!("  {}: {{{}}}\n", tool.name(), switches.join(", ")));
        }
    }
    text
}
