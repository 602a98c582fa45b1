//! Lists, matches and details of skills.

use super::json;
use canonry_app::skills::matching::RankedSkill;
use canonry_app::skills::show::{self, SkillDetails, SkillMirrorState};
use canonry_app::skills::{list::SkillList, matching::MatchedSkills};
use canonry_mirror::registry::ManifestEntry;
use canonry_text::shortened;
use serde::Serialize;
use std::fmt::Write as _;

/// The document `canonry/skills/v1`.
#[derive(Serialize)]
struct SkillsDocument<'a> {
    schema: &'static str,
    skills: &'a [ManifestEntry],
}

/// The document `canonry/skills/v1`.
pub fn list_to_json(outcome: &SkillList) -> String {
    json::to_text(&SkillsDocument { schema: "canonry/skills/v1", skills: &outcome.entries })
}

/// A line per skill, with as much of its description as fits.
pub fn list_to_text(outcome: &SkillList, width: usize) -> String {
    let longest = outcome.entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or_default();
    let room = width.saturating_sub(longest + 2).max(20);
    let line = |entry: &ManifestEntry| {
        let note = entry.deprecation().map(|note| format!("({note}) ")).unwrap_or_default();
        format!(
            "{:longest$}  {}\n",
            entry.name,
            shortened(&format!("{note}{}", entry.description), room.saturating_sub(1))
        )
    };
    outcome.entries.iter().map(line).collect()
}

/// The document `canonry/skill-matches/v1`.
#[derive(Serialize)]
struct MatchesDocument<'a> {
    schema: &'static str,
    has_answer: bool,
    matches: Vec<MatchDocument<'a>>,
}

#[derive(Serialize)]
struct MatchDocument<'a> {
    name: &'a str,
    path: &'a str,
    description: &'a str,
    triggers: &'a [String],
    words: f64,
    preconditions: &'a [String],
    missing: &'a [String],
    constraints: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_by: Option<&'a str>,
}

impl<'a> MatchDocument<'a> {
    fn new(found: &'a RankedSkill) -> Self {
        Self {
            name: &found.entry.name,
            path: &found.entry.path,
            description: &found.entry.description,
            triggers: &found.triggers,
            words: rounded(found.words),
            preconditions: &found.entry.preconditions,
            missing: &found.unmet,
            constraints: &found.entry.constraints,
            deprecated: found.entry.deprecated.as_deref(),
            replaced_by: found.entry.replaced_by.as_deref(),
        }
    }
}

fn rounded(words: f64) -> f64 {
    (words * 1_000.0).round() / 1_000.0
}

/// The document `canonry/skill-matches/v1`.
pub fn matches_to_json(outcome: &MatchedSkills) -> String {
    let matches = outcome.matches.iter().map(MatchDocument::new).collect();
    json::to_text(&MatchesDocument { schema: "canonry/skill-matches/v1", has_answer: outcome.has_answer, matches })
}

/// Each skill with the reasons for its rank and its unmet preconditions.
pub fn matches_to_text(outcome: &MatchedSkills) -> String {
    let mut text = String::new();
    for found in &outcome.matches {
        let triggers: Vec<String> = found.triggers.iter().map(|trigger| format!("`{trigger}`")).collect();
        let by_trigger = (!triggers.is_empty()).then(|| format!("trigger {}", triggers.join(", ")));
        let words = rounded(found.words);
        let by_words = (words > 0.0).then(|| format!("words {words:.3}"));
        let reasons: Vec<String> = by_trigger.into_iter().chain(by_words).collect();
        let _ = writeln!(text, "{}  {}\n  why: {}", found.entry.name, found.entry.path, reasons.join("; "));
        if let Some(note) = found.entry.deprecation() {
            let _ = writeln!(text, "  {note}");
        }
        for unmet in &found.unmet {
            let _ = writeln!(text, "  not ready: {unmet}");
        }
    }
    text
}

/// The document `canonry/skill/v1`.
#[derive(Serialize)]
struct ShownSkillDocument<'a> {
    schema: &'static str,
    #[serde(flatten)]
    entry: &'a ManifestEntry,
    frontmatter: &'a str,
    files: Vec<String>,
    missing: &'a [String],
    mirrors: Vec<MirrorDocument>,
}

#[derive(Serialize)]
struct MirrorDocument {
    target: &'static str,
    path: String,
    state: String,
}

/// The document `canonry/skill/v1`.
pub fn skill_to_json(outcome: &SkillDetails) -> String {
    let mirror = |mirror: &show::SkillMirror| MirrorDocument {
        target: mirror.target,
        path: mirror.path.to_display(),
        state: match &mirror.state {
            SkillMirrorState::InSync => "in step".to_owned(),
            SkillMirrorState::Outdated => "not in step; run `canonry sync`".to_owned(),
            SkillMirrorState::Missing => "not written yet; run `canonry sync`".to_owned(),
            SkillMirrorState::Foreign => "not canonry's".to_owned(),
            SkillMirrorState::Excluded => "excluded by the config or the skill".to_owned(),
            SkillMirrorState::Refused { path, reason } => format!("{path}: {reason}"),
        },
    };
    json::to_text(&ShownSkillDocument {
        schema: "canonry/skill/v1",
        entry: &outcome.entry,
        frontmatter: &outcome.frontmatter,
        files: outcome.files.iter().map(|path| path.to_display()).collect(),
        missing: &outcome.unmet,
        mirrors: outcome.mirrors.iter().map(mirror).collect(),
    })
}

/// The path, the frontmatter, the files and the mirrors of a skill.
pub fn skill_to_text(outcome: &SkillDetails) -> String {
    let entry = &outcome.entry;
    let mut text = format!("{}\n---\n{}---\n", entry.path, outcome.frontmatter);
    let _ = writeln!(text, "content   {}", entry.id);
    let folder = entry.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    for file in &outcome.files {
        let file = file.to_display();
        let _ = writeln!(text, "file      {}", file.strip_prefix(folder).unwrap_or(&file).trim_start_matches('/'));
    }
    for unmet in &outcome.unmet {
        let _ = writeln!(text, "not ready {unmet}");
    }
    for mirror in &outcome.mirrors {
        let state = match &mirror.state {
            SkillMirrorState::InSync => "in sync".to_owned(),
            SkillMirrorState::Outdated => "out of sync; run `canonry sync`".to_owned(),
            SkillMirrorState::Missing => "missing; run `canonry sync`".to_owned(),
            SkillMirrorState::Foreign => "not written by canonry".to_owned(),
            SkillMirrorState::Excluded => "excluded by the config or the skill".to_owned(),
            SkillMirrorState::Refused { path, reason } => format!("{path}: {reason}"),
        };
        let _ = writeln!(text, "mirror    {}: {state}", mirror.path);
    }
    text
}
