//! `canonry help`

use super::output::Out;
use super::status::Status;
use crate::render::markdown;
use canonry_app::{Error, ErrorKind};
use clap::Command;

/// A page of the documentation that the program prints.
struct Topic {
    name: &'static str,
    /// Path below `docs`, as links name it.
    path: &'static str,
    text: &'static str,
}

macro_rules! topics {
    ($($name:literal: $path:literal,)*) => {
        [$(Topic { name: $name, path: $path, text: include_str!(concat!("../../docs/", $path)) }),*]
    };
}

/// The pages in the order of `docs/README.md`. A topic never has the name of a command.
const TOPICS: [Topic; 17] = topics! {
    "installation": "install.md",
    "linter": "linter.md",
    "canon": "tutorial.md",
    "glossary": "glossary.md",
    "troubleshooting": "troubleshooting.md",
    "take-over": "how-to/import.md",
    "edited-mirrors": "how-to/edited-mirrors.md",
    "skills-per-tool": "how-to/skills-per-tool.md",
    "monorepos": "how-to/several.md",
    "skills-from-elsewhere": "how-to/skills-from-elsewhere.md",
    "plugin": "how-to/pack.md",
    "automation": "how-to/automate.md",
    "agent-hooks": "how-to/agent-hooks.md",
    "permissions": "how-to/permissions.md",
    "lessons": "how-to/review-memory.md",
    "workflows": "how-to/run-workflows.md",
    "benchmarks": "how-to/benchmarks.md",
};

/// Print the help of a command, or a page of the documentation
#[derive(Debug, clap::Args)]
#[command(after_help = "Without an argument, lists the commands and the topics.")]
pub struct HelpArgs {
    /// A command, such as `memory review`, or a topic, such as `linter`
    #[arg(value_name = "COMMAND|TOPIC")]
    words: Vec<String>,
}

/// Runs the command; `program` is the definition of the command line.
///
/// # Errors
/// There is neither a command nor a topic of this name.
pub fn run(args: &HelpArgs, mut program: Command, out: &Out<'_>) -> Result<Status, Error> {
    program.build();
    if let [name] = &args.words[..]
        && let Some(topic) = TOPICS.iter().find(|topic| topic.name == name)
    {
        out.result(&markdown::to_text(topic.text, out.style, &|target| link_to(topic, target)));
        return Ok(Status::Done);
    }
    let mut command = &mut program;
    for word in &args.words {
        let known: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        let is_first = command.get_name() == "canonry";
        let Some(found) = command.find_subcommand_mut(word) else {
            let topics = TOPICS.iter().map(|topic| topic.name).filter(|_| is_first);
            let error =
                Error::new(ErrorKind::Usage, format!("there is no command or topic `{}`", args.words.join(" ")));
            let known = known.iter().map(String::as_str).chain(topics);
            return Err(error.suggest(word, known, "run `canonry help` to list the commands and the topics"));
        };
        command = found;
    }
    out.result(&command.render_long_help().to_string());
    if args.words.is_empty() {
        out.result(&list());
    }
    Ok(Status::Done)
}

/// The topics with the titles of their pages.
fn list() -> String {
    let width = TOPICS.iter().map(|topic| topic.name.len()).max().unwrap_or(0);
    let line = |topic: &Topic| {
        let title = topic.text.lines().next().unwrap_or_default().trim_start_matches("# ");
        format!("  {:width$}  {title}\n", topic.name)
    };
    format!("\nTopics (`canonry help TOPIC`):\n{}", TOPICS.iter().map(line).collect::<String>())
}

/// The command that prints the page to which a link of this topic leads, if it is another topic.
fn link_to(from: &Topic, target: &str) -> Option<String> {
    let page = target.split('#').next()?;
    let folder = from.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = match page.strip_prefix("../") {
        Some(above) => above.to_owned(),
        None if folder.is_empty() => page.to_owned(),
        None => format!("{folder}/{page}"),
    };
    let topic = TOPICS.iter().find(|topic| topic.path == path && topic.name != from.name)?;
    Some(format!("`canonry help {}`", topic.name))
}

#[cfg(test)]
mod tests {
    use super::{TOPICS, link_to};
    use clap::CommandFactory as _;
    use std::path::Path;

    #[test]
    fn every_job_is_a_topic_and_no_topic_is_a_command() {
        let jobs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/how-to");
        for job in std::fs::read_dir(jobs).unwrap() {
            let path = format!("how-to/{}", job.unwrap().file_name().to_str().unwrap());
            assert!(TOPICS.iter().any(|topic| topic.path == path), "{path}");
        }
        let program = super::super::Cli::command();
        for topic in &TOPICS {
            assert!(program.find_subcommand(topic.name).is_none(), "{}", topic.name);
        }
    }

    #[test]
    fn links_between_topics_name_the_command() {
        let topic = |name: &str| TOPICS.iter().find(|topic| topic.name == name).unwrap();
        for (from, target, want) in [
            ("canon", "install.md", Some("`canonry help installation`")),
            ("canon", "how-to/import.md#some", Some("`canonry help take-over`")),
            ("permissions", "import.md", Some("`canonry help take-over`")),
            ("permissions", "../linter.md", Some("`canonry help linter`")),
            ("permissions", "../reference/tools.md", None),
            ("permissions", "#below", None),
        ] {
            assert_eq!(link_to(topic(from), target).as_deref(), want, "{from}: {target}");
        }
    }
}
