//! `canonry explain`

use super::output::Out;
use super::status::Status;
use crate::app::{Error, ErrorKind};
use crate::config::closest_match;
use crate::rules::{self, FAMILIES, Rule};

/// Explain a rule, or list all rules
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Rule id, as findings name it; without it, list all rules
    pub rule: Option<String>,
    /// List all rules
    #[arg(long, conflicts_with = "rule")]
    pub list: bool,
}

/// Runs the command.
///
/// # Errors
/// No such rule.
pub fn run(args: &Args, out: &Out<'_>) -> Result<Status, Error> {
    match &args.rule {
        None => out.result(&list()),
        Some(id) => out.result(&page(find(id)?)),
    }
    Ok(Status::Done)
}

fn find(id: &str) -> Result<&'static Rule, Error> {
    rules::find(id).ok_or_else(|| {
        let error = Error::new(ErrorKind::Usage, format!("there is no rule `{id}`"));
        match closest_match(id, rules::all().map(|rule| rule.id)) {
            Some(like) => error.help(format!("did you mean `{like}`?")),
            None => error.help("`canonry explain --list` names the rules"),
        }
    })
}

fn page(rule: &Rule) -> String {
    let (team, spec) = (rule.severity.team.as_str(), rule.severity.spec.as_str());
    let severity = if team == spec { team.to_owned() } else { format!("{team}; {spec} under `--profile spec`") };
    let (title, rest) = rule.docs.split_once('\n').unwrap_or((rule.docs, ""));
    format!("{title}\n\nSeverity: {severity}\n{rest}")
}

fn list() -> String {
    let width = rules::all().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (family, rules) in &FAMILIES {
        text.push_str(&format!("{family}\n"));
        for rule in *rules {
            let severity = rule.severity.team.as_str();
            text.push_str(&format!("  {:width$}  {severity:7}  {}\n", rule.id, rule.summary));
        }
    }
    text
}
