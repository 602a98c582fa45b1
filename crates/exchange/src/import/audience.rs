//! The tools that a rule, a command or a subagent is for. One that only some tools have stays with them.

use super::plan::ImportPlan;
use canonry_text::{MarkdownFile, RepoPath};
use std::collections::BTreeSet;

/// Keeps what was imported from the folders of some tools with these tools. `tool_of` is the tool that reads a file.
pub(super) fn keep(plan: &mut ImportPlan<'_>, canon: &RepoPath, tool_of: &dyn Fn(&RepoPath) -> Option<&'static str>) {
    let tools = |sources: &mut dyn Iterator<Item = &RepoPath>| sources.map(tool_of).collect::<Option<BTreeSet<_>>>();
    let is_inside = |at: &usize| plan.items[*at].to.is_within(canon);
    let audiences: Vec<(usize, BTreeSet<&str>)> = (0..plan.items.len())
        .filter(is_inside)
        .filter_map(|at| {
            let item = &plan.items[at];
            Some((at, tools(&mut std::iter::once(&item.from).chain(&item.also_from))?))
        })
        .collect();
    let of_items = audiences.iter().flat_map(|(_, tools)| tools.iter().copied());
    let all: BTreeSet<&str> = of_items.chain(plan.source.synced.iter().filter_map(tool_of)).collect();
    for (at, tools) in audiences {
        // Who gets a page of the canon was decided there.
        if plan.source.canon.contains_key(&plan.items[at].to) {
            keep_decided(plan, at);
            continue;
        }
        if tools == all {
            continue;
        }
        let names: Vec<&str> = tools.iter().copied().collect();
        let others: Vec<&str> = all.difference(&tools).copied().collect();
        let text = plan.items[at].files.first().and_then(|file| plan.planned_text(file));
        let Some(text) = text.map(|text| with_targets(&text, &names)) else { continue };
        let to = plan.items[at].to.clone();
        plan.items[at].files = plan.text_file(text, to).into_iter().collect();
        plan.items[at].changes.push(format!(
            "stays with {}, which had it: to give it to {} too, remove `targets`",
            names.join(", "),
            others.join(", ")
        ));
    }
}

/// Gives an item the `targets` of the canon's page, so that the two are compared without them.
fn keep_decided(plan: &mut ImportPlan<'_>, at: usize) {
    let to = plan.items[at].to.clone();
    // A page that cannot be read differs in any case.
    let existing = plan.source.text(&to).unwrap_or_default();
    let decided = MarkdownFile::parse(&existing).map(|file| file.list("targets")).unwrap_or_default();
    let text = plan.items[at].files.first().and_then(|file| plan.planned_text(file));
    let Some(text) = text.filter(|_| !decided.is_empty()) else { return };
    let names: Vec<&str> = decided.iter().map(String::as_str).collect();
    plan.items[at].files = plan.text_file(with_targets(&text, &names), to).into_iter().collect();
}

/// A page that only these tools get.
pub(super) fn with_targets(text: &str, tools: &[&str]) -> String {
    let value = format!("[{}]", tools.join(", "));
    match MarkdownFile::editable(text) {
        Ok(file) => file.apply(vec![file.set("targets", &value)]),
        Err(_) => format!("---\ntargets: {value}\n---\n\n{}", text.trim_start_matches('\n')),
    }
}
