//! A finding: what a rule reports.

pub mod fingerprint;

use super::Rule;
use canonry_model::finding::{Defaults, Fix, Location, Profile, Related, Severity};
use fingerprint::{Fingerprint, fingerprints};
use std::cmp::Ordering;

/// A finding of a rule. [`Rule::at`] makes it; [`resolve`] gives it its severity and fingerprint.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The severity after configuration; before, the default in the `team` profile.
    pub severity: Severity,
    /// Description of the problem: one sentence that starts in lower case, without a full stop.
    pub message: String,
    /// The primary location.
    pub location: Location,
    /// Locations that explain it.
    pub related: Vec<Related>,
    /// Remedy.
    pub help: Option<String>,
    /// A fix, if one can be computed.
    pub fix: Option<Fix>,
    /// Range that a suppression comment must cover to suppress the finding.
    pub scope: FindingScope,
    /// The cause it shares with other findings of its rule, which are then reported as one.
    pub cause: Option<Cause>,
    /// Its default severity, if that differs from the one of its rule.
    pub defaults: Option<Defaults>,
    /// Identifies the finding from run to run.
    pub fingerprint: Fingerprint,
}

/// Common cause of several findings of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Equal for findings with the same cause.
    pub key: String,
    /// Noun for each of them, in the singular and in the plural.
    pub what: (&'static str, &'static str),
}

/// Range that a suppression comment must cover to suppress a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FindingScope {
    /// The finding's location.
    #[default]
    Location,
    /// The whole file, because the finding summarises several places in it.
    File,
}

impl Rule {
    /// A finding of the rule.
    pub fn at(&'static self, location: Location, message: impl Into<String>) -> Finding {
        Finding {
            rule: self,
            severity: self.severity.team,
            message: message.into(),
            location,
            related: Vec::new(),
            help: None,
            fix: None,
            scope: FindingScope::Location,
            cause: None,
            defaults: None,
            fingerprint: Fingerprint::default(),
        }
    }
}

impl Finding {
    /// Sets a default severity that differs from the one of its rule.
    #[must_use]
    pub fn severity(mut self, severity: Defaults) -> Self {
        self.severity = severity.team;
        self.defaults = Some(severity);
        self
    }

    /// Names the cause that it shares with other findings of its rule.
    #[must_use]
    pub fn caused_by(mut self, key: impl Into<String>, what: (&'static str, &'static str)) -> Self {
        self.cause = Some(Cause { key: key.into(), what });
        self
    }

    /// Adds the help text.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the fix, if there is one.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<Option<Fix>>) -> Self {
        self.fix = fix.into();
        self
    }

    /// Marks the finding as one about the whole file.
    #[must_use]
    pub fn about_whole_file(mut self) -> Self {
        self.scope = FindingScope::File;
        self
    }

    /// Adds a related location.
    #[must_use]
    pub fn related(mut self, location: Location, label: impl Into<String>) -> Self {
        self.related.push(Related { location, label: label.into() });
        self
    }

    /// The default severity in a profile.
    pub fn default_severity(&self, profile: Profile) -> Severity {
        self.defaults.unwrap_or(self.rule.severity).in_profile(profile)
    }

    /// The order of every report: path, offset, rule, message.
    pub fn order(&self, other: &Self) -> Ordering {
        let key = |f: &Self| (f.location.path.clone(), f.location.span, f.rule.id);
        key(self).cmp(&key(other)).then_with(|| self.message.cmp(&other.message))
    }
}

/// Adds severities and fingerprints, drops findings with severity `Off`, and sorts the rest by path, offset and rule.
pub fn resolve(mut findings: Vec<Finding>, severity_of: impl Fn(&Finding) -> Severity) -> Vec<Finding> {
    for finding in &mut findings {
        finding.severity = severity_of(finding);
    }
    findings.retain(|finding| finding.severity != Severity::Off);
    findings.sort_by(Finding::order);
    let fingerprints = fingerprints(&findings);
    findings.iter_mut().zip(fingerprints).for_each(|(finding, fingerprint)| finding.fingerprint = fingerprint);
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::RepoPath;

    #[test]
    fn resolve_sorts_and_drops_findings_that_are_off() {
        let at =
            |rule: &str, path: &str| crate::find(rule).expect("a rule").at(Location::file(&RepoPath::from(path)), "m");
        let found = [at("secret", "y"), at("orphan-file", "y"), at("file-unreadable", "a"), at("plan-cycle", "x")];
        let off = |finding: &Finding| {
            if finding.rule.id == "file-unreadable" { Severity::Off } else { Severity::Error }
        };
        let found = resolve(found.to_vec(), off);
        let order: Vec<_> = found.iter().map(|f| (f.rule.id, f.location.path.to_display())).collect();
        let want = [("plan-cycle", "x"), ("orphan-file", "y"), ("secret", "y")];
        assert_eq!(order, want.map(|(rule, path)| (rule, path.to_owned())));
    }
}
