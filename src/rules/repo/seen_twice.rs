//! See `seen_twice.md`.

use crate::config::Target;
use crate::finding::{RawFinding, Severity};
use crate::rules::repo_context::RepoContext;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "seen-twice",
    summary: "tool reads the same skill from two mirrors",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("seen_twice.md"),
    check: Check::Repo(check),
};

/// Tools that read `.agents/skills` and their own directory, and how they treat a skill in both. Cursor reads both too, but
/// silently prefers its own.
const READ_BOTH: [(Target, &str); 2] =
    [(Target::CODEX, "Codex lists each skill twice"), (Target::GEMINI, "Gemini CLI warns about each skill")];

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    let Some(canon) = repo.canon.as_ref().filter(|canon| canon.targets.contains(&Target::AGENTS)) else { return };
    if repo.skills.is_empty() {
        return;
    }
    for (target, what) in READ_BOTH.iter().filter(|(target, _)| canon.targets.contains(target)) {
        let (name, root) = (target.name(), target.skills_root());
        let message = format!("with the targets `agents` and `{name}`, {what}: it reads `.agents/skills` and `{root}`");
        let help = format!("remove `{name}` from `targets`; `[claude, agents]` reaches every tool");
        findings.push(RawFinding::new(canon.targets_at.clone(), message).help(help));
    }
}
