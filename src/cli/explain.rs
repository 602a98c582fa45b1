//! `canonry explain`

use super::output::Out;
use super::status::Status;
use crate::app::{Error, ErrorKind};
use crate::config::closest_match;
use crate::rules::{self, Defaults, FAMILIES, FormerRule, Rule};

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
        let error = Error::new(ErrorKind::Usage, format!("unknown rule `{id}`"));
        match closest_match(id, rules::all().map(|rule| rule.id)) {
            Some(like) => error.help(format!("did you mean `{like}`?")),
            None => error.help("run `canonry explain --list` to list the rules"),
        }
    })
}

fn page(rule: &Rule) -> String {
    let severity = severities(rule.severity);
    let alias = |former: &FormerRule| match former.severity == rule.severity {
        true => former.id.to_owned(),
        false => format!("{} ({})", former.id, severities(former.severity)),
    };
    let aliases: Vec<String> = rule.former_rules().iter().map(alias).collect();
    let aliases = if aliases.is_empty() { String::new() } else { format!("Aliases: {}\n", aliases.join(", ")) };
    let (title, rest) = rule.docs.split_once('\n').unwrap_or((rule.docs, ""));
    format!("{title}\n\nSeverity: {severity}\n{aliases}{rest}")
}

fn severities(defaults: Defaults) -> String {
    let (team, spec) = (defaults.team.as_str(), defaults.spec.as_str());
    if team == spec { team.to_owned() } else { format!("{team}; {spec} under `--profile spec`") }
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
