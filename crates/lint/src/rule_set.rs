//! The rules that a run checks.

use super::files::SkillLinks;
use super::repo_facts::SkillConfig;
use super::{Check, ConfiguredSkill, Document, Finding, Rule, all};
use canonry_model::canon::skill::Skill;

/// The rules that a run checks.
#[derive(Clone, Debug)]
pub struct RuleSet(Vec<&'static Rule>);

impl RuleSet {
    /// Every rule.
    pub fn all() -> Self {
        Self::of(|_| true)
    }

    /// The rules that `is_wanted` selects.
    pub fn of(is_wanted: impl Fn(&Rule) -> bool) -> Self {
        Self(all().filter(|rule| is_wanted(rule)).collect())
    }

    /// Whether the rule with an id is checked.
    pub fn contains(&self, id: &str) -> bool {
        self.0.iter().any(|rule| rule.id == id)
    }

    /// The findings in a document.
    pub fn check(&self, document: &impl Document) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut findings = Vec::new();
        for check in self.0.iter().flat_map(|rule| rule.checks()) {
            let (check, severity) = match check {
                Check::At(severity, check) => (*check, Some(*severity)),
                check => (check, None),
            };
            document.run(check, &mut findings);
            // Most checks find nothing.
            if findings.is_empty() {
                continue;
            }
            found.extend(findings.drain(..).map(|finding: Finding| match severity {
                Some(severity) if finding.defaults.is_none() => finding.severity(severity),
                _ => finding,
            }));
        }
        found
    }

    /// The findings in a skill, including those that depend on the config.
    pub fn check_skill(&self, skill: &Skill, config: &SkillConfig) -> Vec<Finding> {
        let mut found = self.check(skill);
        found.extend(self.check(&SkillLinks::new(skill)));
        found.extend(self.check(&ConfiguredSkill { skill, config }));
        found
    }
}
