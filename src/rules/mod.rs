//! Floor 4: every rule.
//!
//! A rule is one file in its family's folder: a `static RULE`, its check function, and its page beside it. To add one,
//! write the file, the page and its fixtures, and name it in the family's table.

pub mod facts;
pub mod files;
pub mod mirror;
mod missing;
pub mod plan;
pub mod repo;
pub mod schema;
pub mod security;
pub mod skill;

use crate::canon::plan::Plan;
use crate::canon::schema_file::SchemaFile;
use crate::canon::skill::Skill;
use crate::finding::{Draft, Severity};
use facts::Facts;

/// What check functions add to.
pub type Drafts = Vec<Draft>;

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Kebab-case name of the defect; reads well behind "allow".
    pub id: &'static str,
    /// One line: what it finds.
    pub summary: &'static str,
    /// How much its findings matter by default.
    pub severity: Defaults,
    /// Its page, Markdown.
    pub docs: &'static str,
    /// What it looks at, and the function that looks.
    pub check: Check,
}

/// Default severity by profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// In the `team` profile: pragmatic.
    pub team: Severity,
    /// In the `spec` profile: the specification to the letter, and nothing outside it above a warning.
    pub spec: Severity,
}

impl Defaults {
    /// The same in both profiles.
    pub const fn both(severity: Severity) -> Self {
        Self { team: severity, spec: severity }
    }
}

/// Which defaults apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Profile {
    /// Pragmatic.
    #[default]
    Team,
    /// The specification to the letter, for skills that are to be published.
    Spec,
}

/// What a rule looks at.
#[derive(Debug)]
pub enum Check {
    /// One skill with the list of its files.
    Skill(fn(&Skill, &mut Drafts)),
    /// One plan.
    Plan(fn(&Plan, &mut Drafts)),
    /// One of the team's schema files.
    SchemaFile(fn(&SchemaFile, &mut Drafts)),
    /// The repository as a whole.
    Repo(fn(&Facts, &mut Drafts)),
}

/// The families' tables, in the order in which they are listed.
pub static FAMILIES: [(&str, &[&Rule]); 7] = [
    ("skill", skill::RULES),
    ("files", files::RULES),
    ("security", security::RULES),
    ("plan", plan::RULES),
    ("schema", schema::RULES),
    ("repo", repo::RULES),
    ("mirror", mirror::RULES),
];

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|(_, rules)| rules.iter().copied())
}

/// The rule of an id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

impl Rule {
    /// The default severity under a profile.
    pub fn default_severity(&self, profile: Profile) -> Severity {
        match profile {
            Profile::Team => self.severity.team,
            Profile::Spec => self.severity.spec,
        }
    }
}

/// Everything the rules say of one skill.
pub fn judge_skill(skill: &Skill) -> Vec<(&'static str, Draft)> {
    judge(|check, drafts| {
        if let Check::Skill(check) = check {
            check(skill, drafts);
        }
    })
}

/// Everything the rules say of one plan.
pub fn judge_plan(plan: &Plan) -> Vec<(&'static str, Draft)> {
    judge(|check, drafts| {
        if let Check::Plan(check) = check {
            check(plan, drafts);
        }
    })
}

/// Everything the rules say of one schema file.
pub fn judge_schema_file(file: &SchemaFile) -> Vec<(&'static str, Draft)> {
    judge(|check, drafts| {
        if let Check::SchemaFile(check) = check {
            check(file, drafts);
        }
    })
}

/// Everything the rules say of a repository as a whole.
pub fn judge_repo(facts: &Facts) -> Vec<(&'static str, Draft)> {
    judge(|check, drafts| {
        if let Check::Repo(check) = check {
            check(facts, drafts);
        }
    })
}

fn judge(run: impl Fn(&Check, &mut Drafts)) -> Vec<(&'static str, Draft)> {
    let mut found = Vec::new();
    let mut drafts = Drafts::new();
    for rule in all() {
        run(&rule.check, &mut drafts);
        found.extend(drafts.drain(..).map(|draft| (rule.id, draft)));
    }
    found
}
