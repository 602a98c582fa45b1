//! Use and knowledge of skills.

use super::{committed_line, json};
use canonry_app::skills::learn::LearnOutcome;
use canonry_app::skills::stats::SkillStats;
use canonry_memory::skill_usage::SkillAdvice;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The document `canonry/skill-stats/v1`.
pub fn stats_to_json(skills: &[SkillStats]) -> String {
    let skill = |SkillStats { name, usage, advice }: &SkillStats| {
        json!({
            "name": name,
            "uses": usage.uses,
            "failures": usage.failures,
            "violations": usage.violations,
            "last_used": usage.last_used.map(|at| at.to_string()),
            "advice": advice,
        })
    };
    let skills: Vec<Value> = skills.iter().map(skill).collect();
    json::to_text(&json!({"schema": "canonry/skill-stats/v1", "skills": skills}))
}

/// A table with a line for each skill.
pub fn stats_to_text(skills: &[SkillStats]) -> String {
    let longest = skills.iter().map(|skill| skill.name.chars().count()).max().unwrap_or_default().max(5);
    let mut text = format!("{:longest$}  uses  failures  violations  last used\n", "skill");
    for SkillStats { name, usage, advice } in skills {
        let last = usage.last_used.map_or_else(|| "never".to_owned(), |at| at.date());
        let advice = match advice {
            Some(SkillAdvice::Rewrite) => "  rewrite: at least half of its uses failed",
            Some(SkillAdvice::Stale) => "  stale",
            None => "",
        };
        let _ = writeln!(
            text,
            "{name:longest$}  {:>4}  {:>8}  {:>10}  {last:10}{advice}",
            usage.uses, usage.failures, usage.violations
        );
    }
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Message about recorded knowledge.
pub fn learned_to_text(outcome: &LearnOutcome) -> String {
    let mut text = if outcome.is_known {
        format!("unchanged {}: it says this already\n", outcome.path)
    } else {
        format!("wrote     {}\n", outcome.path)
    };
    for path in &outcome.mirrors {
        let _ = writeln!(text, "wrote     {path}");
    }
    if let Some(commit) = &outcome.commit {
        text.push_str(&committed_line(commit));
    }
    text
}

/// The hint that the mirrors are not up to date, for stderr.
pub fn sync_notice(outcome: &LearnOutcome) -> String {
    if outcome.needs_sync {
        "The mirrors have other changes, too: run `canonry sync --commit` to update and commit them.\n".to_owned()
    } else {
        String::new()
    }
}
