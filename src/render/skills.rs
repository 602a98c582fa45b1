//! Lists, matches and details of skills.

use super::json;
use canonry_app::skills::matching::{MatchedSkills, RankedSkill};
use canonry_app::skills::show::{SkillDetails, SkillMirror, SkillMirrorState};
use canonry_mirror::registry::ManifestEntry;
use canonry_text::shortened;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The document `canonry/skills/v1`.
pub fn list_to_json(entries: &[ManifestEntry]) -> String {
    json::to_text(&json!({"schema": "canonry/skills/v1", "skills": entries}))
}

/// A line per skill, with as much of its description as fits.
pub fn list_to_text(entries: &[ManifestEntry], width: usize) -> String {
    let longest = entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or_default();
    let room = width.saturating_sub(longest + 2).max(20);
    let line = |entry: &ManifestEntry| {
        let note = entry.deprecation().map(|note| format!("({note}) ")).unwrap_or_default();
        format!(
            "{:longest$}  {}\n",
            entry.name,
            shortened(&format!("{note}{}", entry.description), room.saturating_sub(1))
        )
    };
    entries.iter().map(line).collect()
}

fn rounded(words: f64) -> f64 {
    (words * 1_000.0).round() / 1_000.0
}

/// The document `canonry/skill-matches/v1`.
pub fn matches_to_json(outcome: &MatchedSkills) -> String {
    let document = |found: &RankedSkill| {
        let entry = &found.entry;
        let mut document = json!({
            "name": entry.name,
            "path": entry.path,
            "description": entry.description,
            "triggers": found.triggers,
            "words": rounded(found.words),
            "preconditions": entry.preconditions,
            "missing": found.unmet,
            "constraints": entry.constraints,
        });
        for (key, value) in [("deprecated", &entry.deprecated), ("replaced_by", &entry.replaced_by)] {
            if let Some(value) = value {
                document[key] = json!(value);
            }
        }
        document
    };
    let matches: Vec<Value> = outcome.matches.iter().map(document).collect();
    json::to_text(&json!({"schema": "canonry/skill-matches/v1", "has_answer": outcome.has_answer, "matches": matches}))
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
pub fn skill_to_json(outcome: &SkillDetails) -> String {
    let mirror = |mirror: &SkillMirror| {
        let state =
            if mirror.state == SkillMirrorState::InSync { "in step".to_owned() } else { state_text(&mirror.state) };
        json!({"target": mirror.target, "path": mirror.path, "state": state})
    };
    let mut document = json!({"schema": "canonry/skill/v1"});
    if let (Some(document), Value::Object(entry)) = (document.as_object_mut(), json!(outcome.entry)) {
        document.extend(entry);
    }
    document["frontmatter"] = json!(outcome.frontmatter);
    document["files"] = json!(outcome.files);
    document["missing"] = json!(outcome.unmet);
    document["mirrors"] = outcome.mirrors.iter().map(mirror).collect();
    json::to_text(&document)
}

fn state_text(state: &SkillMirrorState) -> String {
    match state {
        SkillMirrorState::InSync => "in sync".to_owned(),
        SkillMirrorState::Outdated => "out of sync; run `canonry sync`".to_owned(),
        SkillMirrorState::Missing => "missing; run `canonry sync`".to_owned(),
        SkillMirrorState::Foreign => "not written by canonry".to_owned(),
        SkillMirrorState::Excluded => "excluded by the config or the skill".to_owned(),
        SkillMirrorState::Refused { path, reason } => format!("{path}: {reason}"),
    }
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
        let _ = writeln!(text, "mirror    {}: {}", mirror.path, state_text(&mirror.state));
    }
    text
}
