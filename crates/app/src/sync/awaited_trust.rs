//! Tools that ignore the settings of a repository until a person trusts them.

use canonry_agents::ManagedPart;
use canonry_mirror::Lock;
use canonry_model::canon::FileState;
use canonry_model::config::{HookTool, HookTrust, Target};
use canonry_model::tools::tool_formats::TrustScope;
use canonry_text::RepoPath;
use std::collections::BTreeSet;

/// A tool that ignores what a run wrote for it until a person trusts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedTrust {
    /// The tool.
    pub tool: Target,
    /// Files, and folders with generated files, that the tool ignores until a person trusts the repository. Empty if
    /// it had settings before this run.
    pub settings: Vec<RepoPath>,
    /// The file with hooks that are new or changed, if the tool asks a person to review each hook.
    pub hooks: Option<RepoPath>,
}

/// The tools that wait for a person. `written` are the files that the run wrote.
pub(super) fn awaited_trust(before: &Lock, after: &Lock, written: &[RepoPath]) -> Vec<AwaitedTrust> {
    let settings = |lock: &Lock, tool: Target, folder: &RepoPath| -> BTreeSet<RepoPath> {
        let files = lock.entries().iter().map(|(path, _)| file_of(path));
        files.filter(|file| file.is_within(folder) && !file.is_within(&tool.skills_root())).collect()
    };
    let is_new_hook = |(path, state): &(RepoPath, FileState), hooks: &RepoPath| {
        let is_known = before.entries().iter().any(|(known, at)| known == path && at == state);
        file_of(path) == *hooks && path != hooks && !is_known
    };
    let mut found = Vec::new();
    for HookTool { row, hooks } in HookTool::all() {
        let HookTrust::Recorded { scope, .. } = hooks.trust else { continue };
        let Some(tool) = Target::of_tool(row.id).filter(|_| scope != TrustScope::Hooks) else { continue };
        let hooks = RepoPath::from(hooks.path);
        let folder = hooks.components().next().map(RepoPath::new).unwrap_or_default();
        let is_first = settings(before, tool, &folder).is_empty();
        let new = settings(after, tool, &folder).into_iter().filter(|file| is_first && written.contains(file));
        let settings: BTreeSet<RepoPath> =
            new.map(|file| file.components().take(2).fold(RepoPath::default(), |path, part| path.join(part))).collect();
        let has_new_hooks = scope == TrustScope::SettingsAndEachHook
            && written.contains(&hooks)
            && after.entries().iter().any(|entry| is_new_hook(entry, &hooks));
        let hooks = has_new_hooks.then_some(hooks);
        if !settings.is_empty() || hooks.is_some() {
            found.push(AwaitedTrust { tool, settings: settings.into_iter().collect(), hooks });
        }
    }
    found
}

/// The file of an entry of the lock.
fn file_of(path: &RepoPath) -> RepoPath {
    ManagedPart::from_lock_path(path).map_or_else(|| path.clone(), |(file, _)| file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::FileMode;
    use gix::ObjectId;
    use gix::hash::Kind;

    fn lock(paths: &[&str]) -> Lock {
        let state = FileState { id: ObjectId::null(Kind::Sha1), mode: FileMode::File };
        Lock::new(paths.iter().map(|path| (RepoPath::from(*path), state)).collect())
    }

    fn shown(before: &[&str], after: &[&str], written: &[&str]) -> Vec<String> {
        let written: Vec<RepoPath> = written.iter().map(|path| RepoPath::from(*path)).collect();
        let awaited = awaited_trust(&lock(before), &lock(after), &written).into_iter();
        let show = |trust: AwaitedTrust| {
            let settings: Vec<String> = trust.settings.iter().map(RepoPath::to_display).collect();
            format!("{} {}{}", trust.tool.name(), settings.join(" "), trust.hooks.map_or("", |_| " + hooks"))
        };
        awaited.map(show).collect()
    }

    #[test]
    fn only_what_the_run_wrote_awaits_trust() {
        let agents = [".gemini/agents/reviewer.md"];
        assert_eq!(shown(&[], &agents, &agents), ["gemini .gemini/agents"]);
        assert_eq!(shown(&agents, &agents, &[]), [""; 0], "nothing is new");
        assert_eq!(shown(&[], &agents, &[]), [""; 0], "it was there already");
        let skills = [".gemini/skills/a/SKILL.md", ".codex/skills/a/SKILL.md"];
        assert_eq!(shown(&[], &skills, &skills), [""; 0]);
        let servers = [".codex/config.toml#block"];
        assert_eq!(shown(&[], &servers, &[".codex/config.toml"]), ["codex .codex/config.toml"]);
        let hooks = [".codex/config.toml#block", ".codex/hooks.json#/hooks/PreToolUse/-"];
        assert_eq!(shown(&servers, &hooks, &[".codex/hooks.json"]), ["codex  + hooks"]);
        assert_eq!(shown(&hooks, &hooks, &[".codex/hooks.json"]), [""; 0], "another part of the file changed");
        assert_eq!(shown(&[], &hooks, &[]), [""; 0], "a refused file was not written");
        let both = [".codex/config.toml", ".codex/hooks.json"];
        assert_eq!(shown(&[], &hooks, &both), ["codex .codex/config.toml .codex/hooks.json + hooks"]);
    }
}
