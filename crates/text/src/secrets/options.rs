//! Secrets in the arguments of commands: `mysql -pX`, `curl -u user:X`, `--password X`, `vault login X`, and those that a
//! command reads from standard input: `gh auth login --with-token <<< X`.

use super::TextSecret;
use super::names::{NameKind, kind_of};
use super::values::{is_prose, is_reference, is_strong};

/// A program that takes a secret in a short option, or behind a subcommand.
struct Program {
    name: &'static str,
    /// The option, with its dash, or the subcommand.
    option: &'static str,
    form: Form,
}

/// Way in which an option takes the secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `-pX`
    Attached,
    /// `-p X`
    Next,
    /// `login X`, also with options before it
    Argument,
    /// `-u user:X`; the character separates the user.
    After(char),
}

const fn program(name: &'static str, option: &'static str, form: Form) -> Program {
    Program { name, option, form }
}

const PROGRAMS: [Program; 35] = [
    program("mysql", "-p", Form::Attached),
    program("mysqldump", "-p", Form::Attached),
    program("mysqladmin", "-p", Form::Attached),
    program("mysqlimport", "-p", Form::Attached),
    program("mariadb", "-p", Form::Attached),
    program("mariadb-dump", "-p", Form::Attached),
    program("7z", "-p", Form::Attached),
    program("sshpass", "-p", Form::Next),
    program("sshpass", "-p", Form::Attached),
    program("login", "-p", Form::Next),
    program("mongo", "-p", Form::Next),
    program("mongosh", "-p", Form::Next),
    program("mongodump", "-p", Form::Next),
    program("redis-cli", "-a", Form::Next),
    program("ldapsearch", "-w", Form::Next),
    program("ldapmodify", "-w", Form::Next),
    program("sqlcmd", "-P", Form::Next),
    program("bcp", "-P", Form::Next),
    program("unzip", "-P", Form::Next),
    program("zip", "-P", Form::Next),
    program("influx", "-t", Form::Next),
    program("cqlsh", "-p", Form::Next),
    program("vncviewer", "-p", Form::Next),
    program("curl", "-u", Form::After(':')),
    program("curl", "--user", Form::After(':')),
    program("curl", "--proxy-user", Form::After(':')),
    program("http", "-a", Form::After(':')),
    program("https", "-a", Form::After(':')),
    program("lftp", "-u", Form::After(',')),
    program("smbclient", "-U", Form::After('%')),
    program("rpcclient", "-U", Form::After('%')),
    program("svn", "-p", Form::Next),
    program("openssl", "-k", Form::Next),
    program("openssl", "-K", Form::Next),
    program("vault", "login", Form::Argument),
];

/// Programs, subcommands and options that read a secret from standard input.
const READERS: [&str; 6] = ["login", "chpasswd", "--with-token", "--password-stdin", "--stdin", "--passphrase-fd"];

/// A word of a command, without its quotes.
#[derive(Clone, Copy)]
struct Word<'a> {
    start: usize,
    text: &'a str,
    /// Whether a new command starts behind it.
    ends_command: bool,
}

/// Finds the secrets in options.
pub(super) fn find(text: &str, found: &mut Vec<TextSecret>) {
    if !text.contains(['-', '_']) && !text.contains("pass") && !text.contains("login") {
        return;
    }
    let words = words(text);
    from_input(&words, found);
    // Of the command, without repetitions.
    let mut programs: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let name = word.text.rsplit('/').next().unwrap_or(word.text);
        if !word.text.starts_with('-') {
            let is_known = PROGRAMS.iter().any(|program| program.name == name);
            if is_known && !programs.contains(&name) {
                programs.push(name);
            }
            found.extend(argument(&programs, &words[at..]));
        } else {
            let next = words.get(at + 1).filter(|_| !word.ends_command);
            found.extend(short_option(&programs, word, next).or_else(|| long_option(word, next)));
        }
        if let Some(password) = word.text.strip_prefix("pass:").filter(|password| !is_reference(password)) {
            found.push(TextSecret::new(word.start + 5, word.start + 5 + password.len(), "a password"));
        }
        if word.ends_command {
            programs.clear();
        }
    }
    // `htpasswd -b FILE USER PASSWORD`, `aws configure set aws_secret_access_key X`
    for three in words.windows(2) {
        let [name, value] = three else { continue };
        let is_setting = name.text.contains('_') && kind_of(name.text).is_some() && !name.ends_command;
        if is_setting && is_strong(value.text) && !is_reference(value.text) && !value.text.contains(['=', ':']) {
            found.push(TextSecret::new(value.start, value.start + value.text.len(), "a secret"));
        }
    }
    if let Some(at) = words.iter().position(|word| word.text == "htpasswd") {
        let flags = words.get(at + 1).filter(|flags| flags.text.starts_with('-') && flags.text.contains('b'));
        if let Some(password) = flags.and_then(|_| words.get(at + 4)).filter(|word| !is_reference(word.text)) {
            found.push(TextSecret::new(password.start, password.start + password.text.len(), "a password"));
        }
    }
}

/// `vault login X`: the first argument that is no option.
fn argument(programs: &[&str], words: &[Word<'_>]) -> Option<TextSecret> {
    let (subcommand, behind) = words.split_first().filter(|(word, _)| !word.ends_command)?;
    let is_form = |program: &&Program| program.form == Form::Argument && programs.contains(&program.name);
    PROGRAMS.iter().filter(is_form).find(|program| program.option == subcommand.text)?;
    let end = behind.iter().position(|word| word.ends_command).map_or(behind.len(), |end| end + 1);
    let value = behind.get(..end)?.iter().find(|word| !word.text.starts_with('-'))?;
    let is_plain = is_prose(value.text) || is_reference(value.text) || value.text.contains('=');
    (!is_plain).then(|| TextSecret::new(value.start, value.start + value.text.len(), "a token"))
}

/// The here-string of a command that reads a secret, and what is printed into a pipe to one.
fn from_input(words: &[Word<'_>], found: &mut Vec<TextSecret>) {
    let mut printed: Option<&Word<'_>> = None;
    for command in words.split_inclusive(|word| word.ends_command) {
        let reads = command.iter().any(|word| READERS.contains(&word.text));
        let given = command.iter().position(|word| word.text.starts_with("<<<"));
        let here = given.and_then(|at| match command.get(at)?.text.strip_prefix("<<<")? {
            "" => command.get(at + 1).map(|word| (word.start, word.text)),
            glued => Some((command.get(at)?.start + 3, glued)),
        });
        let piped = printed.map(|word| (word.start, word.text));
        for (start, text) in here.into_iter().chain(piped).filter(|_| reads) {
            let value = text.trim_matches(['"', '\'']);
            let start = start + (text.len() - text.trim_start_matches(['"', '\'']).len());
            if !is_reference(value) {
                found.push(TextSecret::new(start, start + value.len(), "a secret"));
            }
        }
        let prints = command.first().is_some_and(|word| matches!(word.text, "echo" | "printf"));
        printed = command.last().filter(|word| prints && !word.text.starts_with('-'));
    }
}

fn short_option(programs: &[&str], word: &Word<'_>, next: Option<&Word<'_>>) -> Option<TextSecret> {
    PROGRAMS.iter().filter(|program| programs.contains(&program.name)).find_map(|program| {
        let attached = word.text.strip_prefix(program.option)?;
        match program.form {
            Form::Attached if !attached.is_empty() && !is_reference(attached.trim_matches(['"', '\''])) => {
                let value = attached.trim_matches(['"', '\'']);
                let start = word.start
                    + program.option.len()
                    + (attached.len() - attached.trim_start_matches(['"', '\'']).len());
                Some(TextSecret::new(start, start + value.len(), "a password"))
            }
            Form::Next if attached.is_empty() => {
                let value = next.filter(|value| !is_reference(value.text) && !value.text.starts_with('-'))?;
                Some(TextSecret::new(value.start, value.start + value.text.len(), "a password"))
            }
            Form::After(separator) if attached.is_empty() => {
                let value = next?;
                let (user, password) = value.text.split_once(separator)?;
                let start = value.start + user.len() + separator.len_utf8();
                (!is_reference(password)).then(|| TextSecret::new(start, start + password.len(), "a password"))
            }
            _ => None,
        }
    })
}

/// `--password X` and `-password X`. `--password=X` is a named value.
fn long_option(word: &Word<'_>, next: Option<&Word<'_>>) -> Option<TextSecret> {
    let name = word.text.trim_start_matches('-');
    let kind = kind_of(name).filter(|_| !name.contains(['=', ':']) && name.len() > 2)?;
    let value = next?;
    let text = value.text.trim_end_matches([',', ';']);
    let is_plain = text.starts_with('-') || is_prose(text) || is_reference(text);
    let is_secret = !is_plain && (kind == NameKind::Password || text.len() >= 8 || is_strong(text));
    let what = if kind == NameKind::Password { "a password" } else { "a secret" };
    is_secret.then(|| TextSecret::new(value.start, value.start + text.len(), what))
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_whitespace() || matches!(bytes[at], b';' | b'|' | b'(' | b'`') {
            if matches!(bytes[at], b'\n' | b';' | b'|') {
                words.last_mut().into_iter().for_each(|word: &mut Word<'_>| word.ends_command = true);
            }
            at += 1;
            continue;
        }
        if matches!(bytes[at], b'"' | b'\'')
            && let Some(length) = text[at + 1..].find(char::from(bytes[at]))
        {
            words.push(Word { start: at + 1, text: &text[at + 1..at + 1 + length], ends_command: false });
            at += length + 2;
            continue;
        }
        let length = text[at..]
            .find(|c: char| c.is_whitespace() || matches!(c, ';' | '|' | '`' | '\n'))
            .unwrap_or(text.len() - at);
        if text[at..at + length].starts_with("&&") {
            words.last_mut().into_iter().for_each(|word: &mut Word<'_>| word.ends_command = true);
        } else {
            words.push(Word {
                start: at,
                text: text[at..at + length].trim_end_matches(['"', '\'', ')', ',']),
                ends_command: false,
            });
        }
        at += length.max(1);
    }
    words
}
