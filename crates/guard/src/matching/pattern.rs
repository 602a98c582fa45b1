//! Patterns of commands in the tables of actions and packs.
//!
//! The first word is the program, every other word a condition; `a|b` are alternatives, `*` in a word matches any text:
//!
//! | word | the command has |
//! |---|---|
//! | `word` | this argument, in the order of the pattern; the first one as its subcommand |
//! | `-x`, `--long` | this option, in any form |
//! | `!word`, `!-x` | no such argument or option |
//! | `+` | another argument |
//! | `@` | another argument that is not a local path |
//! | `!+` | no other argument, apart from options |
//! | `!*` | nothing else |
//! | `~text` | this text in an argument or in what is piped into it, ignoring case; `_` is white space |

use super::options::Options;
use super::path::glob;
use super::push::has_effect_of;
use crate::shell::{Script, SimpleCommand, Stdin, Word};

/// Options with a value that is no package.
const TAKES_PATH: [&str; 17] = [
    "--prefix",
    "-C",
    "--cwd",
    "--dir",
    "--filter",
    "-F",
    "-w",
    "--workspace",
    "-r",
    "--requirement",
    "-c",
    "--constraint",
    "-e",
    "--editable",
    "-p",
    "--path",
    "--manifest-path",
];

/// Checks whether a command is one that a pattern describes.
pub fn matches_pattern(pattern: &str, simple: &SimpleCommand, script: &Script) -> bool {
    let mut conditions = pattern.split_ascii_whitespace();
    let (Some(programs), Some(program)) = (conditions.next(), simple.program()) else { return false };
    if !programs.split('|').any(|name| is_program(name, program)) {
        return false;
    }
    let words = super::subcommand(program, simple.words.get(1..).unwrap_or_default());
    let mut at = Arguments { words, next: 0, is_first: true };
    let options = Options::new(program, words);
    conditions.all(|condition| match condition {
        "+" => at.has_operand(false),
        "@" => at.has_operand(true),
        "!+" => !at.has_operand(false),
        "!*" => at.next == words.len(),
        _ => {
            if let Some(texts) = condition.strip_prefix('~') {
                return has_text(texts, simple, script);
            }
            if let Some(absent) = condition.strip_prefix('!') {
                let is_given = |one: &str| {
                    if one.starts_with('-') {
                        options.has(one)
                    } else {
                        words.iter().any(|word| is_like(one, &word.text))
                    }
                };
                return !absent.split('|').any(is_given);
            }
            if condition.starts_with('-') {
                let is_given = |flag: &str| match flag.strip_suffix('*') {
                    Some(start) => words.iter().any(|word| word.text.starts_with(start)),
                    None => options.has(flag) || has_effect_of(program, words, flag),
                };
                return condition.split('|').any(is_given);
            }
            at.take(condition)
        }
    })
}

/// Whether a program of a pattern, which may have a path, is this one. Nearly all are not, so this is a comparison of their ends.
fn is_program(name: &str, program: &str) -> bool {
    match name.strip_suffix(program) {
        Some(before) => before.is_empty() || before.ends_with('/'),
        None => name.contains('*') && is_like(name.rsplit('/').next().unwrap_or(name), program),
    }
}

/// Whether a command begins with the words of a pattern: one with `npm|yarn test` begins with `npm test` or `yarn test`.
/// A pattern with other conditions is the beginning of none.
pub fn begins_with_pattern(pattern: &str, simple: &SimpleCommand) -> bool {
    let is_one_of = |word: &Word, choices: &str| {
        word.is_known() && !word.is_glob && choices.split('|').any(|choice| choice == word.text)
    };
    let mut own = simple.words.iter();
    pattern.split_ascii_whitespace().all(|choices| {
        let is_word = !choices.contains(['+', '@', '~', '!', '*']);
        own.next().is_some_and(|word| is_word && is_one_of(word, choices))
    })
}

/// The arguments behind those that a pattern already matched.
struct Arguments<'w> {
    words: &'w [Word],
    next: usize,
    is_first: bool,
}

impl Arguments<'_> {
    /// Finds an argument. The first must be the subcommand; only options and their values may come before it.
    fn take(&mut self, choices: &str) -> bool {
        let mut after_option = false;
        for at in self.next..self.words.len() {
            let Some(word) = self.words.get(at) else { break };
            if word.is_known() && choices.split('|').any(|choice| is_like(choice, &word.text)) {
                (self.next, self.is_first) = (at + 1, false);
                return true;
            }
            let is_option = is_option(word);
            if self.is_first && !is_option && !after_option {
                return false;
            }
            after_option = is_option && !word.text.contains('=');
        }
        false
    }

    fn has_operand(&self, is_package: bool) -> bool {
        let before =
            |at: usize| at.checked_sub(1).and_then(|at| self.words.get(at)).map_or("", |word| word.text.as_str());
        let rest = self.words.iter().enumerate().skip(self.next);
        rest.filter(|(_, word)| !is_option(word)).any(|(at, word)| {
            !is_package || !word.text.starts_with(['.', '/', '~']) && !TAKES_PATH.contains(&before(at))
        })
    }
}

fn is_option(word: &Word) -> bool {
    word.is_known() && word.text.len() > 1 && word.text.starts_with('-')
}

fn is_like(pattern: &str, text: &str) -> bool {
    pattern == text
        || pattern.contains('*') && (pattern == "*" || glob(pattern).is_some_and(|glob| glob.is_match(text)))
}

/// Searches the arguments, the text on stdin, and the arguments of the commands whose output is piped into it.
fn has_text(texts: &str, simple: &SimpleCommand, script: &Script) -> bool {
    let mut all: Vec<&str> = simple.words.iter().skip(1).map(|word| word.text.as_str()).collect();
    all.extend(simple.sets.iter().map(String::as_str));
    match &simple.input {
        Stdin::Text(text) => all.push(text),
        Stdin::Pipe(sources) => {
            let commands = sources.iter().filter_map(|at| script.commands.get(*at));
            all.extend(commands.flat_map(|command| &command.words).map(|word| word.text.as_str()));
        }
        Stdin::Inherited => {}
    }
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let all = words(&all.join(" "));
    texts.split('|').any(|text| contains_word(&all, &text.replace('_', " ")))
}

/// Checks whether a text contains another one that begins and ends at a word boundary.
fn contains_word(text: &str, wanted: &str) -> bool {
    let is_inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(wanted).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + wanted.len()..).and_then(|after| after.chars().next());
        let starts = !is_inner(before) || !is_inner(wanted.chars().next());
        starts && (!is_inner(after) || !is_inner(wanted.chars().next_back()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn conditions_of_a_pattern() {
        for (pattern, command, want) in [
            ("npm install|i @", "npm install left-pad", true),
            ("npm install|i @", "npm --prefix web i -D left-pad", true),
            ("npm install|i @", "npm install", false),
            ("npm install|i @", "npm install --prefix web", false),
            ("npm install|i @", "npm install ./local", false),
            ("npm install|i @", "npm run install x", false),
            ("npm install|i @", "npm install $PKG", true),
            ("pip install @", "pip install -r requirements.txt", false),
            ("pip install @", "pip install -e .", false),
            ("kubectl delete", "kubectl --context prod delete ns x", true),
            ("kubectl delete", "kubectl get delete", false),
            ("aws s3 rm --recursive", "aws --profile p s3 rm s3://b --recursive", true),
            ("aws s3 rm --recursive", "aws s3 rm s3://b/x", false),
            ("aws ec2 terminate-*", "aws ec2 terminate-instances --instance-ids i-1", true),
            ("vercel !--help !ls|logs", "vercel", true),
            ("vercel !--help !ls|logs", "vercel logs x", false),
            ("vercel !--help !ls|logs", "vercel --help", false),
            ("psql ~drop_table|truncate", "psql -c 'DROP   TABLE x'", true),
            ("psql ~drop_table|truncate", "echo 'drop table x' | psql", true),
            ("psql ~drop_table|truncate", "psql <<< 'truncate users'", true),
            ("psql ~drop_table|truncate", "psql -c 'select truncated from x'", false),
            ("git push --force|-f", "git push origin +x", true),
            ("sudo|doas", "doas ls", true),
            ("./gradlew test", "./gradlew test", true),
        ] {
            let script = shell::read(command, Some("/srv/repo"));
            let found = script.commands.iter().any(|simple| matches_pattern(pattern, simple, &script));
            assert_eq!(found, want, "{pattern}: {command}");
        }
    }

    #[test]
    fn what_is_allowed_begins_with_the_words() {
        for (pattern, command, want) in [
            ("npm|yarn test", "yarn test --watch", true),
            ("npm|yarn test", "npm x test", false),
            ("npm|yarn test", "npm", false),
            ("npm install +", "npm install x", false),
        ] {
            let script = shell::read(command, None);
            let found = script.commands.iter().any(|simple| begins_with_pattern(pattern, simple));
            assert_eq!(found, want, "{pattern}: {command}");
        }
    }
}
