//! Layer 4: the rules of `canonry check`.
//!
//! A rule is one `.rs` file in the folder of its family (id, summary, default severity, check function), a page `.md` next
//! to it, and fixtures in `fixtures/rules/<id>/`. To add a rule, write these files and add one line to the family's table
//! in its `mod.rs`.

/// Declares the rule modules of a family and its table `RULES`.
///
/// rustfmt does not follow modules that a macro declares; `.ci/run` formats the rule files by name.
macro_rules! rule_table {
    ($($rule:ident,)*) => {
        $(mod $rule;)*

        /// The rules of the family, in the order of the documentation.
        pub static RULES: &[&crate::Rule] = &[$(&$rule::RULE,)*];
    };
}

pub mod allowance;
pub mod benchmark;
mod causes;
mod check;
pub mod context;
pub mod files;
mod lifecycle;
mod limit;
pub mod memory;
pub mod mirror;
pub mod owners;
pub mod plan;
pub mod policy;
pub mod protocol;
pub mod repo;
pub mod repo_context;
pub mod report;
mod resolve;
mod rule;
pub mod schema;
mod scripts;
pub mod security;
pub mod skill;
pub mod task;
pub mod tools;
mod triggers;
mod unreadable;
pub mod violations;
pub mod workflow;
mod yaml_problems;

use canonry_model::canon::skill::Skill;
use canonry_model::config::Config;
pub use canonry_model::finding::{Defaults, Profile};
use canonry_model::finding::{RawFinding, Severity};
pub use check::{Check, ConfiguredSkill, Document, OwnedPlan};
use files::SkillLinks;
use repo_context::SkillConfig;
pub use resolve::{Coverage, ResolvedFindings, SeverityPolicy, resolve};
pub use rule::Rule;

/// The findings a check function adds to.
pub type RawFindings = Vec<RawFinding>;

/// The families and their tables, in the order of the documentation.
pub static FAMILIES: [(&str, &[&Rule]); 18] = [
    ("skill", skill::RULES),
    ("files", files::RULES),
    ("security", security::RULES),
    ("plan", plan::RULES),
    ("owners", owners::RULES),
    ("workflow", workflow::RULES),
    ("report", report::RULES),
    ("benchmark", benchmark::RULES),
    ("task", task::RULES),
    ("memory", memory::RULES),
    ("context", context::RULES),
    ("tools", tools::RULES),
    ("protocol", protocol::RULES),
    ("policy", policy::RULES),
    ("schema", schema::RULES),
    ("repo", repo::RULES),
    ("mirror", mirror::RULES),
    ("allowance", allowance::RULES),
];

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|(_, rules)| rules.iter().copied())
}

/// Every id that the config and suppressions may name.
pub fn ids() -> impl Iterator<Item = &'static str> {
    all().map(|rule| rule.id)
}

/// The rule with an id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

/// The severity of a rule's finding: from the config or, if it does not mention the rule, from the profile. `Error` if the id is
/// unknown.
pub fn severity(config: &Config, id: &str, finding: &RawFinding, profile: Profile) -> Severity {
    let default = || finding.severity.or_else(|| Some(find(id)?.severity));
    let configured = config.severity(id, &finding.location.path);
    configured.unwrap_or_else(|| default().map_or(Severity::Error, |severity| severity.in_profile(profile)))
}

/// Runs every rule that applies to the document. Each finding comes with the id of its rule.
pub fn check(document: &impl Document) -> Vec<(&'static str, RawFinding)> {
    let mut found = Vec::new();
    let mut findings = RawFindings::new();
    for rule in all() {
        for check in rule.checks() {
            let (check, severity) = match check {
                Check::At(severity, check) => (*check, Some(*severity)),
                check => (check, None),
            };
            document.run(check, &mut findings);
            let with_severity = |mut finding: RawFinding| {
                finding.severity = finding.severity.or(severity);
                (rule.id, finding)
            };
            found.extend(findings.drain(..).map(with_severity));
        }
    }
    found
}

/// Runs the rules for a skill, including those that depend on the config.
pub fn check_skill(skill: &Skill, config: &SkillConfig) -> Vec<(&'static str, RawFinding)> {
    let mut found = check(skill);
    found.extend(check(&SkillLinks::new(skill)));
    found.extend(check(&ConfiguredSkill { skill, config }));
    found
}
