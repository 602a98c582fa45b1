//! Generates docs/reference/commands.md from the definition of the command line.

use clap::{Arg, ArgAction, Command};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const INTRODUCTION: &str = "\
# Commands

<!-- Generated from the definition of the command line by `cargo xtask docs`. -->

Options of many commands:

- `-C DIR`: Run in another directory
- `--format json`: Print [a document](output.md#json-documents) instead of text
- `--no-commit`, `--no-verify`: Do not commit; skip git's pre-commit and commit-msg hooks
- `--now TIME`: Current time, as RFC 3339
- `--workers N`, `--minutes N`, `--attempts N`, `--no-wait`: Limits of a run, and no waiting for the end of a usage limit

[Output](output.md) lists the exit statuses.
";

/// The most values of an argument whose meanings are listed.
const EXPLAINED_VALUES: usize = 8;

/// The reference as Markdown.
fn render(program: &Command) -> String {
    let mut program = program.clone();
    program.build();
    let mut text = INTRODUCTION.to_owned();
    let commands: Vec<&Command> = program.get_subcommands().filter(|command| !command.is_hide_set()).collect();
    text.push('\n');
    for command in &commands {
        let name = command.get_name();
        let _ = writeln!(text, "- [`canonry {name}`](#canonry-{name}): {}", about(command));
    }
    let mut explained = BTreeSet::new();
    for command in commands {
        render_command(command, "canonry", &mut explained, &mut text);
    }
    text
}

/// `explained` has the values of arguments that are explained above.
fn render_command(command: &Command, parent: &str, explained: &mut BTreeSet<Vec<String>>, text: &mut String) {
    let name = format!("{parent} {}", command.get_name());
    let level = if parent.contains(' ') { "###" } else { "##" };
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let description = command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string);
    let _ = writeln!(text, "\n{level} {name}\n\n{}.", paragraphs(&description.unwrap_or_default()));
    if usage != format!("{name} [OPTIONS]") && !command.has_subcommands() {
        let _ = writeln!(text, "\n```text\n{usage}\n```");
    }
    let is_documented = |arg: &&Arg| !arg.is_hide_set() && !is_common(arg) && !is_named_by_its_value(arg);
    let args: Vec<&Arg> = command.get_arguments().filter(is_documented).collect();
    if !args.is_empty() {
        text.push('\n');
        for arg in args {
            let _ = writeln!(text, "- {}: {}", signature(arg), meaning(arg, explained).replace('\n', " "));
        }
    }
    if let Some(help) = command.get_after_help() {
        let _ = write!(text, "\n{}\n", after_help(&help.to_string()));
    }
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        render_command(subcommand, &name, explained, text);
    }
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// Whether the introduction explains the argument.
fn is_common(arg: &Arg) -> bool {
    match arg.get_id().as_str() {
        "help" | "version" | "directory" | "now" | "no_commit" | "no_verify" => true,
        "workers" | "minutes" | "attempts" | "no_wait" => true,
        "format" => value_names(arg) == ["human", "json"],
        _ => false,
    }
}

/// Whether the help of a positional argument says no more than its name, as in `PLAN: Plan`.
fn is_named_by_its_value(arg: &Arg) -> bool {
    let help = arg.get_help().map(|help| help.to_string().to_uppercase()).unwrap_or_default();
    arg.is_positional() && arg.get_value_names().is_some_and(|names| names.iter().any(|name| *name == help))
}

fn value_names(arg: &Arg) -> Vec<String> {
    let values = arg.get_possible_values();
    values.iter().filter(|value| !value.is_hide_set()).map(|value| value.get_name().to_owned()).collect()
}

/// The first paragraph of a long help has no full stop in clap; the others have.
fn paragraphs(description: &str) -> String {
    let description = description.trim_end_matches('.');
    match description.split_once("\n\n") {
        Some((first, rest)) => format!("{}.\n\n{rest}", first.trim_end_matches('.')),
        None => description.to_owned(),
    }
}

/// `` `-m`, `--message TEXT` ``
fn signature(arg: &Arg) -> String {
    let values: Vec<String> =
        arg.get_value_names().unwrap_or_default().iter().map(|name| name.trim_matches(['<', '>']).to_owned()).collect();
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let value = if takes_value { values.join(" ") } else { String::new() };
    if arg.is_positional() {
        return format!("`{}`", if value.is_empty() { arg.get_id().as_str().to_uppercase() } else { value });
    }
    let short = arg.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
    let long = arg.get_long().unwrap_or_default();
    let separator = match (value.is_empty(), arg.is_require_equals_set()) {
        (true, _) => "",
        (false, true) => "=",
        (false, false) => " ",
    };
    format!("{short}`--{long}{separator}{value}`")
}

/// The help of an argument, with its values and its default.
fn meaning(arg: &Arg, explained: &mut BTreeSet<Vec<String>>) -> String {
    let mut text = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let is_flag = !matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let values: Vec<_> = arg.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect();
    if !is_flag && !values.is_empty() {
        let is_explained = values.len() > EXPLAINED_VALUES || !explained.insert(value_names(arg));
        let values: Vec<String> = values
            .iter()
            .map(|value| match value.get_help() {
                Some(help) if !is_explained => format!("`{}`: {help}", value.get_name()),
                _ => format!("`{}`", value.get_name()),
            })
            .collect();
        let _ = write!(text, ". Values: {}", values.join("; "));
    }
    let defaults: Vec<String> = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy())
        .filter(|value| !value.is_empty())
        .map(|value| format!("`{value}`"))
        .collect();
    if !is_flag && !defaults.is_empty() {
        let _ = write!(text, ". Default: {}", defaults.join(", "));
    }
    text
}

/// Indented lines, such as command lines, become a code block.
fn after_help(help: &str) -> String {
    let mut text = String::new();
    let mut in_block = false;
    for line in help.lines() {
        let is_code = line.starts_with("  ");
        if is_code != in_block {
            text.push_str(if is_code { "\n```sh\n" } else { "```\n" });
            in_block = is_code;
        }
        let _ = writeln!(text, "{}", if is_code { line.trim_start() } else { line });
    }
    if in_block {
        text.push_str("```\n");
    }
    text.trim().to_owned()
}

#[test]
fn generated_command_reference_is_current() {
    use clap::CommandFactory as _;
    canonry_testing::generated::assert_current("docs/reference/commands.md", &render(&super::Cli::command()));
}
