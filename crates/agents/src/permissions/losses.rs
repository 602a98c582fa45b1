//! Restrictions that the settings of a tool cannot express. canonry's hook enforces them; without it, they are reported.

use super::antigravity::is_literal_path;
use super::gemini;
use super::opencode::opencode_rules;
use crate::desired::{DesiredToolFiles, ToolFileProblem};
use crate::mcp::server_names;
use crate::request::ToolFileRequest;
use canonry_model::canon::permissions::{PermissionSubject, Verdict};
use canonry_model::config::{PermissionGrammar, ToolRow};
use std::collections::{BTreeMap, BTreeSet};

/// Restrictions that are listed in one line before they are only counted.
const LISTED: usize = 4;

/// Reports the restrictions that a tool does not get, once for each kind.
pub(super) fn report(
    tool: &ToolRow,
    grammar: PermissionGrammar,
    decisions: &[(Verdict, PermissionSubject)],
    request: &ToolFileRequest<'_>,
    desired: &mut DesiredToolFiles,
) {
    let servers = if grammar == PermissionGrammar::Codex { server_names(request, tool.id) } else { BTreeSet::new() };
    let mut lost: BTreeMap<&str, LostRestrictions> = BTreeMap::new();
    for (decision, subject) in decisions.iter().filter(|(decision, _)| *decision != Verdict::Allow) {
        let Some((kind, what)) = described(subject) else { continue };
        if !is_expressed(grammar, *decision, subject, &servers) {
            let lost = lost.entry(kind).or_default();
            if *decision == Verdict::Deny {
                lost.denials.push(format!("deny {what}"));
            } else {
                lost.questions.push(format!("ask before {what}"));
            }
        }
    }
    for (kind, entries) in lost {
        let advice = format!("switch on `files.{}.hooks`, whose hook enforces it", tool.id);
        let part = format!("{}/permissions/{kind}", tool.id);
        let message = entries.message(tool, &advice);
        let summary = entries.summary(tool, &advice);
        let problem = ToolFileProblem::new(&request.layout.permissions(), message);
        desired.problems.push(ToolFileProblem { omitted: Some(part), summary, ..problem });
    }
}

/// Restrictions of one kind that a tool does not get.
#[derive(Default)]
struct LostRestrictions {
    denials: Vec<String>,
    questions: Vec<String>,
}

impl LostRestrictions {
    /// Those that protect more first.
    fn all(&self) -> impl Iterator<Item = &str> {
        self.denials.iter().chain(&self.questions).map(String::as_str)
    }

    fn message(&self, tool: &ToolRow, advice: &str) -> String {
        format!("{} has no setting for \"{}\": {advice}", tool.name, self.all().collect::<Vec<_>>().join("\", \""))
    }

    /// Count of the restrictions, if they are too many for a line.
    fn summary(&self, tool: &ToolRow, advice: &str) -> Option<String> {
        let denials = self.denials.len();
        let questions = self.questions.len();
        let count = |count: usize, what: &str| {
            (count > 0).then(|| format!("{count} {what}{}", if count == 1 { "" } else { "s" }))
        };
        let counts: Vec<String> =
            [count(denials, "denial"), count(questions, "question")].into_iter().flatten().collect();
        let first: Vec<&str> = self.all().take(LISTED).collect();
        (denials + questions > LISTED).then(|| {
            format!(
                "{} has no setting for {}, such as \"{}\": {advice}; `canonry check --select tool-file-omitted` lists all",
                tool.name,
                counts.join(" and "),
                first.join("\", \"")
            )
        })
    }
}

fn described(subject: &PermissionSubject) -> Option<(&'static str, String)> {
    match subject {
        PermissionSubject::Edit(pattern) => Some(("edits", format!("editing {pattern}"))),
        PermissionSubject::Read(pattern) => Some(("reads", format!("reading {pattern}"))),
        PermissionSubject::Mcp { server, tool } => {
            Some(("mcp", format!("the MCP tool {server}/{}", tool.as_deref().unwrap_or("*"))))
        }
        PermissionSubject::Domain(host) => Some(("hosts", format!("fetching from {host}"))),
        // Every tool has commands. No tool has a setting for the others, and the reference says that they work through the hook
        // alone.
        PermissionSubject::Command(_)
        | PermissionSubject::Flag(_)
        | PermissionSubject::Push(_)
        | PermissionSubject::Action(_) => None,
    }
}

fn is_expressed(
    grammar: PermissionGrammar,
    decision: Verdict,
    subject: &PermissionSubject,
    servers: &BTreeSet<String>,
) -> bool {
    match (grammar, subject) {
        (PermissionGrammar::Gemini, _) => !gemini::exclusions(decision, subject).is_empty(),
        (PermissionGrammar::Codex, PermissionSubject::Mcp { server, .. }) => servers.contains(server),
        (PermissionGrammar::Codex, _) => false,
        (PermissionGrammar::Antigravity, PermissionSubject::Edit(_)) => false,
        (PermissionGrammar::Antigravity, PermissionSubject::Read(pattern)) => is_literal_path(pattern),
        (PermissionGrammar::OpenCode, _) => !opencode_rules(decision, subject).is_empty(),
        _ => true,
    }
}
