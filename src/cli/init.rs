//! `canonry init`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::init::{self, CanonPart, InitRequest};
use canonry_app::{Environment, Error, ErrorKind};
use canonry_model::config::{TOOLS, Target};
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use std::ffi::OsStr;
use std::io::{self, IsTerminal};

/// Create a canon, and adopt the skills that tools already have
///
/// Writes the config and copies the skills in the folders of tools (.claude/skills, .agents/skills and others) to the canon. The other parts are a choice: on a terminal `init` shows each with its files and asks once; elsewhere name them with `--with`. It never overwrites a file; a second run adds what is missing.
#[derive(Debug, clap::Args)]
pub struct InitArgs {
    /// Parts to write besides the skills: instructions, workflow, hooks, memory
    #[arg(long, value_name = "PART,...", value_delimiter = ',', value_parser = part_parser(), hide_possible_values = true)]
    with: Vec<CanonPart>,
    /// Write every part
    #[arg(long, conflicts_with = "with")]
    all: bool,
    /// Tools of the team [default: the tools in use]
    #[arg(long, value_name = "TOOL,...", value_delimiter = ',', value_parser = ToolParser, hide_possible_values = true)]
    tools: Vec<Target>,
    /// Write nothing; print the new files as a unified diff
    #[arg(long)]
    dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

fn part_parser() -> impl TypedValueParser<Value = CanonPart> {
    PossibleValuesParser::new(CanonPart::ALL.map(CanonPart::name))
        .map(|name| CanonPart::of_name(&name).expect("the possible values are the names of the parts"))
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
    let parts = if args.all {
        CanonPart::ALL.to_vec()
    } else if !args.with.is_empty() || args.dry_run || args.format == Format::Json {
        args.with.clone()
    } else {
        ask(environment, args, out)?
    };
    let request = InitRequest { parts, tools: args.tools.clone(), dry_run: args.dry_run };
    let outcome = init::run(environment, &request)?;
    match args.format {
        Format::Json => out.result(&render::init::document(&outcome)),
        Format::Human if args.dry_run => {
            out.result(&render::diff::patch(&outcome.diffs));
            out.remark(&render::init::human(&outcome));
        }
        Format::Human => out.message(&render::init::human(&outcome)),
    }
    Ok(if outcome.refused.is_empty() { Status::Done } else { Status::Refused })
}

/// Asks for the parts, if there is a terminal to ask on and a part to choose.
fn ask(environment: &Environment, args: &InitArgs, out: &Out<'_>) -> Result<Vec<CanonPart>, Error> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(Vec::new());
    }
    let preview = init::preview(environment, &args.tools)?;
    if preview.parts.iter().all(|part| part.part == CanonPart::Skills) {
        return Ok(Vec::new());
    }
    out.remark(&render::init::question(&preview));
    loop {
        let mut answer = String::new();
        let read = io::stdin().read_line(&mut answer);
        if read.is_ok_and(|length| length == 0) {
            return Err(Error::new(ErrorKind::Interrupted, "no answer; nothing was written"));
        }
        let names = || answer.split([',', ' ', '\n']).filter(|name| !name.is_empty());
        if names().eq(["all"]) {
            return Ok(CanonPart::ALL.to_vec());
        }
        match names().map(|name| CanonPart::of_name(name).ok_or(name)).collect() {
            Ok(parts) => return Ok(parts),
            Err(name) => out.remark(&format!("there is no part `{name}`\n> ")),
        }
    }
}
