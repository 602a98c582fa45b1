//! The bundled example: three skills, two of them with something to mend.
//!
//! `fixtures/tour` holds them as they are before the mending.

/// A file of the example.
pub struct File {
    /// Where it goes in the scratch repository.
    pub path: &'static str,
    /// What it holds.
    pub text: &'static str,
    /// Whether it is a program; the bit is set by hand, as it does not survive being built in.
    pub kind: Kind,
}

/// What a file of the example is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Read by an agent.
    Text,
    /// Run by an agent.
    Script,
}

macro_rules! text {
    ($path:literal, $kind:ident) => {
        File {
            path: concat!("agent/skills/", $path),
            text: include_str!(concat!("../../../fixtures/tour/", $path)),
            kind: Kind::$kind,
        }
    };
}

/// The files.
pub const FILES: [File; 6] = [
    text!("release-notes/SKILL.md", Text),
    text!("release-notes/references/format.md", Text),
    text!("release-notes/scripts/collect.sh", Script),
    text!("triage-bug/SKILL.md", Text),
    text!("deploy-check/SKILL.md", Text),
    text!("deploy-check/references/checklist.md", Text),
];

/// One line that a person would change.
pub struct Mend {
    /// The file.
    pub path: &'static str,
    /// The line as it is.
    pub was: &'static str,
    /// The line as it should be.
    pub now: &'static str,
}

/// What the findings of the example ask for.
pub const MENDS: [Mend; 2] = [
    Mend {
        path: "agent/skills/deploy-check/SKILL.md",
        was: "Go through [the checklist](references/list.md), and stop at the first failure.",
        now: "Go through [the checklist](references/checklist.md), and stop at the first failure.",
    },
    Mend {
        path: "agent/skills/triage-bug/SKILL.md",
        was: "description: Triage a bug report: reproduce it, rate it, name an owner.",
        now: "description: \"Triage a bug report: reproduce it, rate it, name an owner.\"",
    },
];

/// The mirrored file that is edited by hand, and the line that is added to it.
pub const HAND_EDIT: (&str, &str) = (".claude/skills/release-notes/SKILL.md", "4. Thank whoever reported a bug.");

/// The memory's log, which the tour adds once the skills are mirrored: a few weeks of episodes, the last line torn.
pub const LOG: (&str, &str) =
    ("agent/memory/episodic/AGENT_LEARNINGS.jsonl", include_str!("../../../fixtures/tour/AGENT_LEARNINGS.jsonl"));

/// An episode that an agent logs on the last day.
pub const EPISODE: [&str; 11] = [
    "log",
    "--skill",
    "deploy-check",
    "--action",
    "rolled back the release",
    "--result",
    "failure",
    "--pain",
    "8",
    "--timestamp",
    "2026-04-30T18:00:00Z",
];

/// The night that the tour dreams in.
pub const NIGHT: &str = "2026-05-01T03:00:00Z";
/// Where the lesson goes.
pub const LESSONS: &str = "agent/memory/semantic/LESSONS.md";
