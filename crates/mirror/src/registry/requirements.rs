//! Finds the files and commands that preconditions name. Everything else is left to the reader.

/// Something that must exist.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Requirement {
    /// A file or folder, relative to the root of the repository or of the canon.
    File(String),
    /// A command on the `PATH`.
    Command(String),
}

/// Phrases after the name of a required file.
const EXISTS: [&str; 4] = ["exists", "exist", "is present", "is there"];
/// Phrases after the name of a required command.
const INSTALLED: [&str; 5] = ["installed", "is on path", "on the path", "available", "in path"];

/// Returns the requirements in a precondition. A name is a word in backticks, or the word before one of the phrases
/// above: `DESIGN.md exists at project root`, `docker is installed`.
pub fn parse_requirements(precondition: &str) -> Vec<Requirement> {
    let lower = precondition.to_lowercase();
    let installed = INSTALLED.iter().any(|word| lower.contains(word));
    let mut found: Vec<Requirement> =
        words_in_backticks(precondition).filter_map(|word| requirement(word, installed)).collect();
    if !found.is_empty() || is_negated(&lower) {
        return if is_negated(&lower) { Vec::new() } else { found };
    }
    found.extend(words_before(precondition, &EXISTS).filter(|word| looks_like_file(word)).map(file));
    found.extend(
        words_before(precondition, &INSTALLED)
            .filter(|word| is_command(word))
            .map(|word| Requirement::Command(word.into())),
    );
    found
}

/// Checks for negations: what must not exist is not required.
fn is_negated(lower: &str) -> bool {
    let denies = |word: &str| matches!(word, "no" | "not" | "never" | "without" | "isn't" | "doesn't");
    lower.split_whitespace().any(denies)
}

fn file(word: &str) -> Requirement {
    Requirement::File(word.trim_end_matches('/').to_owned())
}

/// Interprets a word in backticks: a command if the sentence is about installed software, a file if it looks like one.
fn requirement(word: &str, installed: bool) -> Option<Requirement> {
    if installed && is_command(word) {
        return Some(Requirement::Command(word.to_owned()));
    }
    looks_like_file(word).then(|| file(word))
}

/// Lists the single words between backticks.
fn words_in_backticks(text: &str) -> impl Iterator<Item = &str> {
    let inside = text.split('`').skip(1).step_by(2);
    inside.filter(|word| !word.is_empty() && !word.contains(char::is_whitespace))
}

/// Lists the words before one of the phrases, skipping "is" and "are" in between.
fn words_before<'t>(text: &'t str, phrases: &'t [&str]) -> impl Iterator<Item = &'t str> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for phrase in phrases {
        for (at, _) in lower.match_indices(phrase) {
            let words = text[..at].split_whitespace().rev();
            if !text[..at].ends_with(char::is_whitespace) {
                continue;
            }
            let mut words = words.filter(|word| !matches!(*word, "is" | "are" | "be" | "must"));
            found.extend(words.next().map(|word| word.trim_matches(['"', '\'', ',', ';', '(', ')'])));
        }
    }
    found.sort_unstable();
    found.dedup();
    found.into_iter()
}

/// Checks for a path in this repository: it contains a slash or a dot, and is no URL, pattern or path elsewhere.
fn looks_like_file(word: &str) -> bool {
    let is_elsewhere =
        word.contains("://") || word.starts_with(['/', '~', '$', '@', '-']) || word.split('/').any(|part| part == "..");
    let is_pattern = word.contains(['`', '*', '{', '}', '<', '>', '?', '$', '=', '(', ')', ':']);
    let has_dot = word.trim_end_matches('.').contains('.');
    (has_dot || word.contains('/')) && !is_elsewhere && !is_pattern && word.chars().any(char::is_alphanumeric)
}

fn is_command(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    word.starts_with(|c: char| c.is_ascii_alphanumeric()) && word.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_what_can_be_looked_for() {
        let file = |name: &str| vec![Requirement::File(name.to_owned())];
        let command = |name: &str| vec![Requirement::Command(name.to_owned())];
        for (text, want) in [
            ("memory/episodic/AGENT_LEARNINGS.jsonl exists", file("memory/episodic/AGENT_LEARNINGS.jsonl")),
            ("DESIGN.md exists at project root", file("DESIGN.md")),
            (".git exists", file(".git")),
            ("the file `package.json` is there", file("package.json")),
            ("`docs/` is filled", file("docs")),
            ("docker is installed", command("docker")),
            ("`gh` is installed and you are logged in", command("gh")),
            ("jq available", command("jq")),
            ("node is on PATH", command("node")),
            ("the server is reachable via the harness's MCP config", Vec::new()),
            ("user has http://localhost:3030 open", Vec::new()),
            ("`http://localhost:3030` exists", Vec::new()),
            ("no file `.lock` exists", Vec::new()),
            ("/etc/passwd exists", Vec::new()),
            ("`../other/x.md` exists", Vec::new()),
            ("a plan exists", Vec::new()),
            ("tests pass on main", Vec::new()),
        ] {
            assert_eq!(parse_requirements(text), want, "{text}");
        }
    }

    proptest! {
        #[test]
        fn parses_any_text(text in "[`a./ \u{130}é]{0,12}( exists| is installed)?") {
            for need in parse_requirements(&text) {
                let (Requirement::File(name) | Requirement::Command(name)) = need;
                prop_assert!(text.contains(&name));
            }
        }
    }
}
