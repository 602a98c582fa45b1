//! Reports the settings of tools that the canon does not have.

use super::formats::parser;
use super::leftovers::STAYS;
use super::plan::ImportPlan;
use super::quoting::code_list;
use canonry_agents::permissions::setting_keys;
use canonry_model::config::TOOLS;
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// Keys that say nothing to an agent.
const SILENT_KEYS: [&str; 2] = ["$schema", "version"];

/// Reports the keys of each settings file that no importer reads.
pub(super) fn report(plan: &mut ImportPlan<'_>) {
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in TOOLS.iter().filter(|row| row.is_written()) {
        let servers = row.mcp.map(|mcp| (mcp.path, mcp.root.first().copied().unwrap_or_default()));
        // The keys in Antigravity's file are names of hooks.
        let hooks = row.hooks.as_ref().filter(|hooks| !hooks.form.is_named);
        let hooks = hooks.map(|hooks| (hooks.path, "hooks"));
        let permissions =
            row.permissions.iter().flat_map(|row| setting_keys(row.grammar).iter().map(|key| (row.path, *key)));
        for (path, key) in servers.into_iter().chain(hooks).chain(permissions) {
            known.entry(path).or_default().insert(key);
        }
    }
    for (path, keys) in known {
        // A file that cannot be read is reported with its other content.
        let Ok(text) = plan.source.text(&RepoPath::from(path)) else { continue };
        let Ok(settings) = parser(path)(&text) else { continue };
        let names = settings.entries().iter().map(|entry| &entry.key);
        let is_other = |key: &&String| !keys.contains(key.as_str()) && !SILENT_KEYS.contains(&key.as_str());
        let others: Vec<String> = names.filter(is_other).cloned().collect();
        if !others.is_empty() {
            let reason = format!("canonry does not import these settings: {}", code_list(&others));
            plan.skip(&RepoPath::from(path), reason, STAYS);
        }
    }
}
