//! `hook log` and `hook why`: what hooks decided.

use super::decision_log::{DecisionLog, LoggedDecision};
use crate::{Environment, Error, ErrorKind};
use std::io;

/// Which decisions to list.
#[derive(Clone, Debug, Default)]
pub struct LogRequest {
    /// Only these decisions: `deny`, `ask`, `grant`, `allow-once`. All if empty.
    pub decisions: Vec<String>,
    /// Only calls whose text, guard or repository contains this.
    pub matching: Option<String>,
    /// At most this many, the newest.
    pub limit: usize,
}

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

/// The decisions, the newest first.
///
/// # Errors
/// The log cannot be read.
pub fn log(env: &Environment, request: &LogRequest) -> Result<Vec<LoggedDecision>, Error> {
    let is_wanted = |row: &LoggedDecision| {
        (request.decisions.is_empty() || request.decisions.contains(&row.decision))
            && request.matching.as_ref().is_none_or(|text| row.mentions(text))
    };
    Ok(read(env)?.into_iter().rev().filter(is_wanted).take(request.limit).collect())
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
