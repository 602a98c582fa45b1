//! Ranks the skills that fit a task.

use crate::skill_catalog::{SkillCatalog, unmet};
use crate::{Error, Workspace};
use canonry_mirror::registry::{ManifestEntry, has_answer, match_skills};

/// The matching skills, the best first.
#[derive(Clone, Debug, Default)]
pub struct MatchedSkills {
    /// The skills.
    pub matches: Vec<RankedSkill>,
    /// Whether one of the best is clearly about the task.
    pub has_answer: bool,
}

/// A matching skill.
#[derive(Clone, Debug)]
pub struct RankedSkill {
    /// The manifest entry.
    pub entry: ManifestEntry,
    /// The triggers that occur in the task.
    pub triggers: Vec<String>,
    /// The fused rank for name and description and for the instructions, from 0 to 1.
    pub words: f64,
    /// The unmet preconditions, one message each.
    pub unmet: Vec<String>,
}

/// Ranks the skills for a task by triggers, then by words, and returns at most `top`.
///
/// # Errors
/// Git's own files cannot be read.
pub fn run(workspace: &Workspace, task: &str, top: usize) -> Result<MatchedSkills, Error> {
    let skills = SkillCatalog::load(workspace)?.searchable(workspace);
    let matches = match_skills(&skills, task);
    let ranked = matches.iter().take(top).map(|found| RankedSkill {
        entry: found.entry.clone(),
        triggers: found.score.triggers.clone(),
        words: found.score.word_score,
        unmet: unmet(workspace, &found.entry.preconditions),
    });
    Ok(MatchedSkills { matches: ranked.collect(), has_answer: has_answer(&matches) })
}
