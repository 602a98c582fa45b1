//! Part of `tool-file-schema`: hook for an event that the tool does not know.

use super::tool_file_schema::RULE;
use crate::Finding;
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::canon::tool_file::hooks::events;
use canonry_model::config::TOOLS;
use canonry_model::finding::Location;
use canonry_model::tools::hook_form::{HookForm, TEAM};
use canonry_text::closest_match;

pub(super) fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    for event in events(file) {
        let name = event.name;
        if event.event().is_some() {
            continue;
        }
        let intended = intended(name, event.form);
        if intended.is_none() && !event.form.is_verified {
            continue;
        }
        let message = format!("{} has no event `{name}`, so this hook never runs", file.kind.reader_name());
        let finding = RULE.at(Location::at(source, event.name_span), message);
        findings.push(finding.help(match intended {
            Some(intended) => format!("did you mean `{intended}`?"),
            None => {
                let names: Vec<&str> = event.form.events.iter().map(|event| event.name).collect();
                format!("use one of: {}", names.join(", "))
            }
        }));
    }
}

/// The event that differs only in its spelling, or that another tool calls by this name.
fn intended(name: &str, form: &HookForm) -> Option<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], "");
    let names = || form.events.iter().map(|event| event.name);
    let same = || names().find(|event| plain(event) == plain(name));
    let others = || TOOLS.iter().filter_map(|row| Some(row.hooks.as_ref()?.form)).chain([&TEAM]);
    let translated = || form.name_of(others().find_map(|other| other.event(name)?.canon)?);
    same().or_else(translated).or_else(|| closest_match(name, names()))
}
