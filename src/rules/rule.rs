//! A rule.

use super::check::{Check, FormerRule};
use super::defaults::Defaults;

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// The kebab-case name of the defect. It reads well after "allow", and is never reused.
    pub id: &'static str,
    /// A noun phrase that names the defect, on one line.
    pub summary: &'static str,
    /// The default severity of its findings.
    pub severity: Defaults,
    /// The documentation page, in Markdown.
    pub docs: &'static str,
    /// The check function. Its type names the kind of document it takes.
    pub(crate) check: Check,
}

impl Rule {
    /// The former rules that this rule has replaced, in the order of its page.
    pub fn former_rules(&self) -> &'static [FormerRule] {
        match self.check {
            Check::Merged(former) => former,
            _ => &[],
        }
    }

    /// The rule whose check finds the findings of this one.
    pub fn found_by(&self) -> Option<&'static str> {
        match self.check {
            Check::FoundBy(id) => Some(id),
            _ => None,
        }
    }

    /// The former rule with this id.
    pub fn former_rule(&self, id: &str) -> Option<&'static FormerRule> {
        self.former_rules().iter().find(|former| former.id == id)
    }

    /// Each check function with the id its findings are reported under before [`resolve`](super::resolve): the rule's
    /// own id or, for a merged rule, the former id.
    pub(super) fn checks(&'static self) -> impl Iterator<Item = (&'static str, &'static Check)> {
        let former = self.former_rules();
        let own = match &self.check {
            Check::Merged(_) | Check::FoundBy(_) => &[],
            Check::Each(checks) => *checks,
            check => std::slice::from_ref(check),
        };
        own.iter().map(|check| (self.id, check)).chain(former.iter().map(|former| (former.id, &former.check)))
    }
}
