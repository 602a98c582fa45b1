//! `canonry init`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::init::{self, InitRequest, ToolSelection};
use canonry_app::scaffold::ScaffoldSize;
use canonry_app::{Environment, Error, ErrorKind};
use canonry_model::config::{TOOLS, Target};
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use std::ffi::OsStr;
use std::io::{self, IsTerminal};

/// Create a canon, adopt the skills that tools already have, and connect the tools
///
/// A new canon contains nine skills, the workflow, permissions, schemas, an empty memory and an example plan. Its config connects the tools in use: they get the root instructions, permissions and hooks besides skills. `init` never overwrites a file; a second run adds what is missing. It moves no skill: skills in the directories of tools (.claude/skills, .gemini/skills, .agents/skills and others) are copied to the canon unchanged.
#[derive(Debug, clap::Args)]
pub struct InitArgs {
    /// Add only AGENTS.md and the config, for teams that only want their skills mirrored
    #[arg(long)]
    minimal: bool,
    /// Connect these tools, and mirror skills for them only [default: the tools in use]
    #[arg(long, value_name = "TOOL,...", value_delimiter = ',', value_parser = ToolParser, hide_possible_values = true)]
    tools: Vec<Target>,
    /// Connect no tool: they get skills only
    #[arg(long, conflicts_with = "tools")]
    skills_only: bool,
    /// Do not ask which tools to connect
    #[arg(short, long)]
    yes: bool,
    /// Write nothing; print the new files as a unified diff
    #[arg(long)]
    dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Parses the name of a tool, and lists the names for completions.
#[derive(Clone)]
struct ToolParser;

impl TypedValueParser for ToolParser {
    type Value = Target;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Target, clap::Error> {
        StringValueParser::new().try_map(|name| parse_tool(&name)).parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(TOOLS.iter().map(|row| PossibleValue::new(row.id).help(row.name))))
    }
}

fn parse_tool(name: &str) -> Result<Target, String> {
    Target::of_tool(name.trim()).ok_or_else(|| {
        let names: Vec<&str> = TOOLS.iter().map(|row| row.id).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// Runs the command.
///
/// # Errors
/// See [`init::run`].
pub fn run(args: &InitArgs, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let size = if args.minimal { ScaffoldSize::Minimal } else { ScaffoldSize::Full };
    let tools = match (args.tools.as_slice(), args.skills_only) {
        (_, true) => ToolSelection::None,
        ([], _) if args.yes || args.minimal || args.dry_run || args.format == Format::Json => ToolSelection::Detected,
        ([], _) => ask(environment, out)?,
        (tools, _) => ToolSelection::Only(tools.to_vec()),
    };
    let outcome = init::run(environment, &InitRequest { size, tools, dry_run: args.dry_run })?;
    match args.format {
        Format::Json => out.result(&render::init::document(&outcome)),
        Format::Human if args.dry_run => {
            out.result(&render::diff::patch(&outcome.diffs));
            out.remark(&render::init::human(&outcome));
        }
        Format::Human => out.result(&render::init::human(&outcome)),
    }
    Ok(if outcome.refused.is_empty() { Status::Done } else { Status::Refused })
}

/// Asks which tools to connect, if there is a terminal to ask on and a config to write.
fn ask(environment: &Environment, out: &Out<'_>) -> Result<ToolSelection, Error> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(ToolSelection::Detected);
    }
    let Some(found) = init::detect_tools(environment)? else { return Ok(ToolSelection::Detected) };
    out.remark(&render::init::question(&found));
    loop {
        let mut answer = String::new();
        let read = io::stdin().read_line(&mut answer);
        if read.is_ok_and(|length| length == 0) {
            return Err(Error::new(ErrorKind::Interrupted, "no answer; nothing was written"));
        }
        match answer.trim() {
            "" | "y" | "yes" => return Ok(ToolSelection::Detected),
            "n" | "no" => return Ok(ToolSelection::None),
            names => match names.split([',', ' ']).filter(|name| !name.is_empty()).map(parse_tool).collect() {
                Ok(tools) => return Ok(ToolSelection::Only(tools)),
                Err(error) => out.remark(&format!("{error}; or y, or n: ")),
            },
        }
    }
}
