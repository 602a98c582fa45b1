//! See `name_reserved.md`.

use super::names::Name;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "name-reserved",
    summary: "a name that a tool or a file system keeps for itself",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("name_reserved.md"),
    check: Check::Skill(check),
};

/// Names of devices, which Windows takes for the device in every folder and with every extension (Microsoft, "Naming
/// Files, Paths, and Namespaces").
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

fn check(skill: &Skill, drafts: &mut Drafts) {
    let Some(name) = Name::of(skill) else { return };
    let whose = match name.text.to_lowercase().as_str() {
        // Claude Code keeps the folder for skills that it fetches itself.
        "synced" => "Claude Code keeps it for skills that it fetches itself",
        lower if is_device(lower) => "on Windows it is a device, and no folder can have it",
        _ => return,
    };
    drafts.push(name.draft(format!("the name `{}` is reserved: {whose}", name.text)).help("choose another name"));
}

/// Also `com1` to `com9` and `lpt1` to `lpt9`.
fn is_device(name: &str) -> bool {
    let port = ["com", "lpt"].iter().find_map(|port| name.strip_prefix(port));
    DEVICES.contains(&name) || port.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
}
