//! `canonry explain`

use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::Error;
use canonry_app::explain::find_rule;

/// Explain a rule, or list all rules
#[derive(Debug, clap::Args)]
pub struct ExplainRuleArgs {
    /// Rule id [default: list all rules]
    rule: Option<String>,
    /// List all rules
    #[arg(long, conflicts_with = "rule")]
    list: bool,
}

/// Runs the command.
///
/// # Errors
/// There is no such rule.
pub fn run(args: &ExplainRuleArgs, out: &Out<'_>) -> Result<Status, Error> {
    match &args.rule {
        None => out.result(&render::explain::list()),
        Some(id) => {
            let page = render::explain::page(find_rule(id)?);
            out.result(&render::markdown::to_text(&page, out.style, &|_| None));
        }
    }
    Ok(Status::Done)
}
