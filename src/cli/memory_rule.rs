//! The arguments of `canonry memory accept --to`, and the questions about those that are missing.

use super::output::Out;
use canonry_app::memory::decide::{LessonRule, Placement, RuleDestination, check_placement};
use canonry_app::memory::{
    review::{self, ReviewQueueRequest},
    single_line,
};
use canonry_app::{Error, ErrorKind, Workspace};
use std::io::{self, BufRead, IsTerminal as _};

/// Where a lesson becomes a rule, and what the rule says.
#[derive(Debug, clap::Args)]
pub struct RuleArgs {
    /// Add the lesson as a rule: `policy`, `agents` or `skill:NAME`
    #[arg(long, value_name = "WHERE", value_parser = parse_destination, conflicts_with = "text")]
    to: Option<RuleDestination>,
    /// File [default: WORKFLOW.md of policies/, KNOWLEDGE.md of a skill]
    #[arg(long, value_name = "FILE", requires = "to")]
    file: Option<String>,
    /// Instruction
    #[arg(long, value_name = "TEXT", requires = "to")]
    action: Option<String>,
    /// Where it applies
    #[arg(long, value_name = "TEXT", requires = "to")]
    scope: Option<String>,
    /// Cause of the failures
    #[arg(long, value_name = "TEXT", requires = "to")]
    root_cause: Option<String>,
}

fn parse_destination(text: &str) -> Result<RuleDestination, String> {
    match (text, text.strip_prefix("skill:")) {
        ("policy", _) => Ok(RuleDestination::Policy),
        ("agents", _) => Ok(RuleDestination::Agents),
        (_, Some(name)) if !name.is_empty() => Ok(RuleDestination::Skill(name.to_owned())),
        _ => Err("expected `policy`, `agents` or `skill:NAME`".to_owned()),
    }
}

impl RuleArgs {
    /// The placement; `None` without `--to`. Asks for missing parts in a terminal.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] if a part is missing or empty; [`ErrorKind::Interrupted`] if a question is not answered.
    pub fn placement(
        &self,
        candidate: Option<&str>,
        open: impl FnOnce() -> Result<Workspace, Error>,
        out: &Out<'_>,
    ) -> Result<Option<Placement>, Error> {
        let Some(destination) = self.to.clone() else { return Ok(None) };
        let Some(candidate) = candidate else {
            return Err(Error::new(ErrorKind::Usage, "`--to` applies to one candidate")
                .help("name one candidate; accept the others without `--to`"));
        };
        let parts = [("--action", &self.action), ("--scope", &self.scope), ("--root-cause", &self.root_cause)];
        let rule = match (parts.iter().find(|(_, part)| part.is_none()), io::stdin().is_terminal()) {
            (Some((flag, _)), false) => {
                return Err(Error::new(ErrorKind::Usage, format!("`--to` needs `{flag} TEXT`")).help(
                    "a rule says what to do (`--action`), where it applies (`--scope`) and why it is needed (`--root-cause`)",
                ));
            }
            (Some(_), true) => {
                let request = ReviewQueueRequest { candidate: Some(candidate.to_owned()), all: true };
                let found = review::run(&open()?, &request, out)?.candidates;
                let lesson = found.first().map(|item| single_line(&item.entry.staged.text)).unwrap_or_default();
                out.remark(&format!("Lesson: {lesson}\n"));
                self.ask(&lesson, &mut io::stdin().lock(), |question| out.remark(question))?
            }
            (None, _) => self.ask("", &mut io::empty(), |_| {})?,
        };
        let placement = Placement { destination, file: self.file.clone(), rule };
        check_placement(&placement)?;
        Ok(Some(placement))
    }

    /// Asks for the parts that are not given.
    fn ask(&self, lesson: &str, input: &mut impl BufRead, say: impl Fn(&str)) -> Result<LessonRule, Error> {
        let mut part = |given: &Option<String>, question: &str, default: &str| match given {
            Some(given) => Ok(given.clone()),
            None => answer(question, default, input, &say),
        };
        Ok(LessonRule {
            action: part(&self.action, "Action: what to do? [Enter: the lesson] ", lesson)?,
            scope: part(&self.scope, "Scope: where does it apply? ", "")?,
            root_cause: part(&self.root_cause, "Root cause: why is it needed? ", "")?,
        })
    }
}

/// Repeats a question until it has an answer or a default.
fn answer(question: &str, default: &str, input: &mut impl BufRead, say: &impl Fn(&str)) -> Result<String, Error> {
    loop {
        say(question);
        let mut line = String::new();
        if input.read_line(&mut line).is_ok_and(|length| length == 0) {
            return Err(Error::new(ErrorKind::Interrupted, "no answer; nothing was written"));
        }
        let text = if line.trim().is_empty() { default } else { line.trim() };
        if !text.is_empty() {
            return Ok(text.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(action: Option<&str>) -> RuleArgs {
        let action = action.map(str::to_owned);
        RuleArgs { to: Some(RuleDestination::Agents), file: None, action, scope: None, root_cause: None }
    }

    #[test]
    fn missing_parts_are_asked_for() {
        let mut input = "\n\n  everywhere \nit broke\n".as_bytes();
        let rule = args(None).ask("Use tabs.", &mut input, |_| {}).unwrap();
        assert_eq!([rule.action, rule.scope, rule.root_cause], ["Use tabs.", "everywhere", "it broke"]);
        let mut input = "everywhere\nit broke\n".as_bytes();
        assert_eq!(args(Some("Do it.")).ask("", &mut input, |_| {}).unwrap().action, "Do it.");
        let error = args(None).ask("Use tabs.", &mut "\neverywhere\n".as_bytes(), |_| {}).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Interrupted);
    }

    #[test]
    fn destinations() {
        assert_eq!(parse_destination("skill:deploy"), Ok(RuleDestination::Skill("deploy".to_owned())));
        for text in ["", "skill", "skill:", "Policy", "lessons"] {
            assert!(parse_destination(text).is_err(), "{text}");
        }
    }
}
