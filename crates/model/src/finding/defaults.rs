//! The default severities of a rule.

use super::Severity;

/// Default severity by profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// In the pragmatic `team` profile.
    pub team: Severity,
    /// In the strict `spec` profile, where only violations of the specification are errors.
    pub spec: Severity,
}

impl Defaults {
    /// The same severity in both profiles.
    pub const fn both(severity: Severity) -> Self {
        Self { team: severity, spec: severity }
    }

    /// The severity in one profile.
    pub fn in_profile(self, profile: Profile) -> Severity {
        match profile {
            Profile::Team => self.team,
            Profile::Spec => self.spec,
        }
    }
}

/// The set of default severities in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Profile {
    /// Errors for broken files, warnings for content that a tool would ignore
    #[default]
    Team,
    /// Errors only for violations of the specification, for skills you want to publish
    Spec,
}
