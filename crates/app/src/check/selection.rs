//! Which rules a run reports, and from which severity on.

use super::CheckRequest;
use crate::{Error, ErrorKind};
use canonry_lint::{self as rules, FAMILIES, Rule, RuleSet};
use canonry_model::config::Config;
use canonry_model::finding::Severity;
use canonry_text::closest_match;
use globset::{Glob, GlobMatcher};

/// The rules and severities of a run.
#[derive(Debug)]
pub(super) struct RuleSelection {
    /// `None` for all rules.
    select: Option<Vec<Selector>>,
    ignore: Vec<Selector>,
    min_severity: Severity,
}

/// Some rules, as the user names them.
#[derive(Debug)]
enum Selector {
    Rule(&'static str),
    Family(&'static str),
    /// A pattern such as `name-*`.
    Pattern(GlobMatcher),
}

impl RuleSelection {
    /// The selection of a request.
    ///
    /// # Errors
    /// A name is neither that of a rule nor of a family, or a pattern matches no rule.
    pub fn new(request: &CheckRequest) -> Result<Self, Error> {
        let selectors = |option: &str, names: &[String]| {
            names.iter().map(|name| Selector::parse(option, name)).collect::<Result<Vec<_>, _>>()
        };
        let select = selectors("--select", &request.select)?;
        Ok(Self {
            select: (!select.is_empty()).then_some(select),
            ignore: selectors("--ignore", &request.ignore)?,
            min_severity: request.min_severity.unwrap_or(Severity::Info),
        })
    }

    /// Whether some rules or severities are not reported.
    pub fn is_partial(&self) -> bool {
        self.select.is_some() || !self.ignore.is_empty() || self.min_severity > Severity::Info
    }

    /// The severity that a finding is reported with.
    pub fn severity(&self, rule: &Rule, severity: Severity) -> Severity {
        if self.selects(rule) && severity >= self.min_severity { severity } else { Severity::Off }
    }

    /// The rules that have to run. To know which suppressions are unused, all of them have.
    pub fn rules(&self, config: &Config) -> RuleSet {
        let is_ignored = |rule: &Rule| self.ignore.iter().any(|selector| selector.matches(rule));
        let needs_all = rules::find("allowance-unused").is_some_and(|rule| self.selects(rule));
        RuleSet::of(|rule| (self.selects(rule) || needs_all && !is_ignored(rule)) && !is_off(config, rule))
    }

    fn selects(&self, rule: &Rule) -> bool {
        let matches = |selectors: &[Selector]| selectors.iter().any(|selector| selector.matches(rule));
        self.select.as_deref().is_none_or(matches) && !matches(&self.ignore)
    }
}

/// Whether a rule is off for every path.
fn is_off(config: &Config, rule: &Rule) -> bool {
    let mut overrides = config.overrides.iter().filter_map(|entry| entry.rules.get(rule.id));
    config.rules.get(rule.id) == Some(&Severity::Off) && overrides.all(|severity| *severity == Severity::Off)
}

impl Selector {
    fn parse(option: &str, name: &str) -> Result<Self, Error> {
        if let Some(rule) = rules::find(name) {
            return Ok(Self::Rule(rule.id));
        }
        if let Some((family, _)) = FAMILIES.iter().find(|(family, _)| *family == name) {
            return Ok(Self::Family(family));
        }
        let pattern = name.contains('*').then(|| Glob::new(name).ok()).flatten().map(|glob| glob.compile_matcher());
        if let Some(pattern) = pattern.filter(|pattern| rules::all().any(|rule| pattern.is_match(rule.id))) {
            return Ok(Self::Pattern(pattern));
        }
        let known = rules::ids().chain(FAMILIES.iter().map(|(family, _)| *family));
        let like = closest_match(name, known).map(|like| format!("; did you mean `{like}`?")).unwrap_or_default();
        let families: Vec<&str> = FAMILIES.iter().map(|(family, _)| *family).collect();
        Err(Error::new(ErrorKind::Usage, format!("`{option} {name}`: no such rule{like}")).help(format!(
            "name a rule (`canonry explain --list`), a pattern such as `name-*`, or a family: {}",
            families.join(", ")
        )))
    }

    fn matches(&self, rule: &Rule) -> bool {
        match self {
            Self::Rule(id) => *id == rule.id,
            Self::Pattern(pattern) => pattern.is_match(rule.id),
            Self::Family(name) => rule.family() == *name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn selection(select: &[&str], ignore: &[&str], min_severity: Option<Severity>) -> Result<RuleSelection, Error> {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        RuleSelection::new(&CheckRequest {
            select: owned(select),
            ignore: owned(ignore),
            min_severity,
            ..CheckRequest::default()
        })
    }

    #[test]
    fn selects_rules_by_id_family_and_pattern() {
        for (select, ignore, rule, want) in [
            (&[][..], &[][..], "name-invalid", true),
            (&["name-invalid"], &[], "name-invalid", true),
            (&["name-invalid"], &[], "skill-schema", false),
            (&["name-*"], &[], "name-directory-mismatch", true),
            (&["name-*"], &["name-invalid"], "name-invalid", false),
            (&["skill"], &[], "name-invalid", true),
            (&["security"], &[], "name-invalid", false),
            (&[], &["skill"], "name-invalid", false),
            (&[], &["skill"], "secret", true),
        ] {
            let found = selection(select, ignore, None).unwrap().severity(rules::find(rule).unwrap(), Severity::Info);
            assert_eq!(found == Severity::Info, want, "{select:?} {ignore:?} {rule}");
        }
    }

    #[test]
    fn only_rules_that_can_report_run() {
        let off = |id: &str| BTreeMap::from([(id.to_owned(), Severity::Off)]);
        let config = Config { rules: off("secret"), ..Config::default() };
        for (select, ignore, rule, want) in [
            (&[][..], &[][..], "name-invalid", true),
            (&[], &[], "secret", false),
            (&["security"], &[], "hidden-unicode", true),
            (&["security"], &[], "name-invalid", false),
            (&[], &["name-invalid"], "name-invalid", false),
            // A suppression of `name-invalid` is unused only if the rule finds nothing.
            (&["allowance-unused"], &[], "name-invalid", true),
            (&["allowance-unused"], &["skill"], "name-invalid", false),
        ] {
            let found = selection(select, ignore, None).unwrap().rules(&config).contains(rule);
            assert_eq!(found, want, "{select:?} {ignore:?} {rule}");
        }
    }

    #[test]
    fn severities_below_the_lowest_are_off() {
        let selection = selection(&[], &[], Some(Severity::Warning)).unwrap();
        let found = [Severity::Error, Severity::Warning, Severity::Info]
            .map(|s| selection.severity(rules::find("name-invalid").unwrap(), s));
        assert_eq!(found, [Severity::Error, Severity::Warning, Severity::Off]);
        assert!(selection.is_partial());
    }

    #[test]
    fn unknown_names_are_usage_errors() {
        for (name, says) in
            [("name-invalit", "did you mean `name-invalid`?"), ("nam-*", "no such rule"), ("", "no such rule")]
        {
            let error = selection(&[], &[name], None).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Usage);
            assert!(error.message.contains(says) && error.message.starts_with("`--ignore "), "{}", error.message);
        }
    }

    #[test]
    fn no_family_is_named_like_a_rule() {
        for (family, _) in FAMILIES {
            assert!(rules::find(family).is_none(), "{family}");
        }
    }
}
