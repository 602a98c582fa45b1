//! The rules of `canonry check`.
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
mod baseline;
pub mod benchmark;
mod check;
pub mod context;
pub mod files;
mod finding;
mod lifecycle;
mod limit;
pub mod memory;
pub mod mirror;
pub mod owners;
pub mod plan;
pub mod protocol;
pub mod repo;
pub mod repo_facts;
pub mod report;
mod rule;
mod rule_set;
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

pub use baseline::Baseline;
pub use canonry_model::finding::{Defaults, Profile};
pub use check::{Check, ConfiguredSkill, Document, OwnedPlan};
pub use finding::fingerprint::Fingerprint;
pub use finding::{Finding, FindingScope, resolve};
pub use rule::Rule;
pub use rule_set::RuleSet;

/// The families and their tables, in the order of the documentation.
pub static FAMILIES: [(&str, &[&Rule]); 17] = [
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

/// The findings of every rule in a document.
pub fn check(document: &impl Document) -> Vec<Finding> {
    RuleSet::all().check(document)
}
