//! `hook log` and `hook why`: what hooks decided.

use super::decision_log::{DecisionLog, LoggedDecision};
use crate::{Environment, Error, ErrorKind};
use std::io;

impl LoggedDecision {
    /// Whether a hook stopped the call.
    pub fn is_stopped(&self) -> bool {
        matches!(self.decision.as_str(), "deny" | "ask")
    }

    fn mentions(&self, text: &str) -> bool {
        let rules = self.reasons.iter().flat_map(|reason| [&reason.rule, &reason.message]);
        [&self.call, &self.repository, &self.tool, &self.code]
            .into_iter()
            .chain(rules)
            .any(|field| field.contains(text))
    }
}

/// The decisions, the newest first: only these (`deny`, `ask`, `grant`, `allow-once`; all if empty), and only calls whose text, guard or
/// repository contains `matching`.
///
/// # Errors
/// The log cannot be read.
pub fn log(env: &Environment, only: &[String], matching: Option<&str>) -> Result<Vec<LoggedDecision>, Error> {
    let is_wanted = |row: &LoggedDecision| {
        (only.is_empty() || only.contains(&row.decision)) && matching.is_none_or(|text| row.mentions(text))
    };
    Ok(read(env)?.into_iter().rev().filter(is_wanted).collect())
}

/// The newest decision, or the newest one with a code.
///
/// # Errors
/// The log cannot be read, or there is no such decision.
pub fn why(env: &Environment, code: Option<&str>) -> Result<LoggedDecision, Error> {
    let found = read(env)?.into_iter().rev().find(|row| match code {
        None => row.is_stopped(),
        Some(code) => row.code == code,
    });
    found.ok_or_else(|| {
        let message = match code {
            Some(code) => format!("no decision with the code `{code}` is in the log"),
            None => "no hook has stopped a call yet".to_owned(),
        };
        Error::new(ErrorKind::Unreadable, message)
            .help("run `canonry hook log`, or `canonry protocol explain COMMAND` for any command")
    })
}

fn read(env: &Environment) -> Result<Vec<LoggedDecision>, Error> {
    match &env.state {
        Some(state) => DecisionLog::new(state).read().map_err(unreadable_log),
        None => Ok(Vec::new()),
    }
}

pub(super) fn unreadable_log(error: io::Error) -> Error {
    Error::new(ErrorKind::Unreadable, format!("the log of decisions cannot be read: {error}"))
}
