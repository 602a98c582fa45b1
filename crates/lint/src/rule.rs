//! A rule.

use super::check::Check;
use canonry_model::finding::Defaults;

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// The kebab-case name of the defect. It reads well after "allow", and is never reused.
    pub id: &'static str,
    /// A noun phrase that names the defect, on one line.
    pub summary: &'static str,
    /// The default severity of its findings, except those that have one of their own.
    pub severity: Defaults,
    /// The documentation page, in Markdown.
    pub docs: &'static str,
    /// The check function. Its type names the kind of document it takes.
    pub check: Check,
}

impl Rule {
    /// The family whose table it is in.
    pub fn family(&self) -> &'static str {
        let family = super::FAMILIES.iter().find(|(_, rules)| rules.iter().any(|rule| rule.id == self.id));
        family.map(|(name, _)| *name).expect("every rule is in a table")
    }

    /// Its check functions.
    pub(super) fn checks(&'static self) -> &'static [Check] {
        match &self.check {
            Check::Each(checks) => checks,
            check => std::slice::from_ref(check),
        }
    }
}
