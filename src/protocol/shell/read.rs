//! The state of the analysis of a command line: variables, folder, functions, and the commands found.

use super::word::{ShellContext, Word, expand};
use super::wrappers;
use super::{Redirect, Script, SimpleCommand, Stdin};
use crate::protocol::matching::path;
use brush_parser::{Parser, ParserOptions, ast};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum length of a command line in bytes.
const LENGTH: usize = 64 << 10;
/// The maximum number of opening tokens; the parser recurses for each.
const OPENINGS: usize = 400;
/// The maximum number of simple commands.
const COMMANDS: usize = 2_000;
/// The maximum nesting of command lines within command lines.
const DEPTH: usize = 16;

/// Analyses a command line.
pub(in crate::protocol) struct Reader {
    script: Script,
    variables: BTreeMap<String, Vec<Word>>,
    pub(super) functions: BTreeSet<String>,
    pub(super) cwd: Option<String>,
    /// The stdin of the current group of commands.
    pub(super) given: Stdin,
    depth: usize,
}

impl Reader {
    pub fn new(cwd: Option<&str>) -> Self {
        let home = BTreeMap::from([("HOME".to_owned(), vec![Word::new("~")])]);
        let cwd = cwd.map(str::to_owned);
        Self {
            script: Script::default(),
            variables: home,
            functions: BTreeSet::new(),
            cwd,
            given: Stdin::Inherited,
            depth: 0,
        }
    }

    pub fn finish(self) -> Script {
        self.script
    }

    pub fn count(&self) -> usize {
        self.script.commands.len()
    }

    /// Checks whether one of the commands from index `since` on has this name.
    pub fn calls(&self, since: usize, name: &str) -> bool {
        self.script.commands.iter().skip(since).any(|simple| simple.program() == Some(name))
    }

    /// Analyses a command line with the current functions and variables.
    pub fn script(&mut self, text: &str) {
        if let Some(why) = parse_limit_error(text) {
            return self.doubt(why);
        }
        if self.depth == DEPTH {
            return self.doubt("it is nested too deeply");
        }
        match parse(text) {
            Ok(program) => {
                self.depth += 1;
                program.complete_commands.iter().for_each(|list| self.list(list));
                self.depth -= 1;
            }
            Err(why) => self.doubt(&why),
        }
    }

    /// Analyses commands of a subshell, which cannot change the folder or variables.
    pub fn in_subshell(&mut self, run: impl FnOnce(&mut Self)) {
        let kept = (self.cwd.clone(), self.variables.clone(), self.given.clone());
        run(self);
        (self.cwd, self.variables, self.given) = kept;
    }

    /// Adds possible values to a variable. The analysis does not know which of them applies.
    pub fn set(&mut self, name: &str, mut values: Vec<Word>) {
        let known = self.variables.entry(name.to_owned()).or_default();
        values.retain(|value| !known.contains(value));
        known.append(&mut values);
        known.truncate(16);
    }

    /// Adds a command and the commands that it runs.
    pub fn add(&mut self, simple: SimpleCommand) {
        if self.count() == COMMANDS {
            return self.doubt("it runs too many commands");
        }
        let at = self.count();
        self.apply_effects(&simple);
        self.script.commands.push(simple.clone());
        let run = wrappers::inner(&simple, &self.script.commands);
        if self.depth == DEPTH {
            return self.doubt("it is nested too deeply");
        }
        self.depth += 1;
        for inner in run.inner {
            self.inner(inner, &simple);
        }
        self.depth -= 1;
        if let Some(simple) = self.script.commands.get_mut(at).filter(|_| self.script.doubts.is_empty()) {
            simple.wraps = run.has_no_other_effect;
        }
    }

    fn inner(&mut self, inner: wrappers::InnerCommand, outer: &SimpleCommand) {
        match inner {
            wrappers::InnerCommand::Words(words) => {
                let (sets, redirects, is_function) = (Vec::new(), Vec::new(), false);
                self.add(SimpleCommand { words, sets, redirects, is_function, wraps: false, ..outer.clone() });
            }
            wrappers::InnerCommand::Script(word) if word.is_known() => {
                self.in_subshell(|reader| reader.script(&word.text))
            }
            wrappers::InnerCommand::SameShell(word) if word.is_known() => self.script(&word.text),
            wrappers::InnerCommand::Script(_) | wrappers::InnerCommand::SameShell(_) => {
                self.doubt("it runs an unknown text as a command");
            }
            wrappers::InnerCommand::Unknown(why) => self.doubt(why),
        }
    }

    /// Applies the effect of a command on the folder and the variables.
    fn apply_effects(&mut self, simple: &SimpleCommand) {
        match simple.program() {
            Some("cd" | "pushd") => {
                let target =
                    simple.words.iter().skip(1).find(|word| !matches!(word.text.as_str(), "-P" | "-L" | "--" | "-e"));
                self.cwd = match target {
                    None => Some("~".to_owned()),
                    Some(word) if word.is_known() && !word.is_glob && word.text != "-" => {
                        path::resolve(self.cwd.as_deref(), &word.text)
                    }
                    Some(_) => None,
                };
            }
            Some("popd") => self.cwd = None,
            Some("read" | "mapfile" | "readarray" | "getopts") => {
                for word in simple.words.iter().skip(1).filter(|word| !word.text.starts_with('-')) {
                    self.set(&word.text, vec![Word::unknown()]);
                }
            }
            _ => {}
        }
    }

    pub fn redirect(&mut self, writes: bool, target: &ast::Word, redirects: &mut Vec<Redirect>) {
        let words = expand(&target.value, self);
        redirects.extend(words.into_iter().map(|target| Redirect { writes, target }));
    }

    /// Returns the known text of a here-document or here-string.
    pub fn text_input(&mut self, word: &ast::Word, is_expanded: bool) -> Stdin {
        if !is_expanded {
            return Stdin::Text(word.value.clone());
        }
        self.check_no_command(&word.value);
        Stdin::Text(word.value.replace('$', "\0"))
    }
}

impl ShellContext for Reader {
    fn doubt(&mut self, why: &str) {
        if !self.script.doubts.iter().any(|doubt| doubt == why) {
            self.script.doubts.push(why.to_owned());
        }
    }

    fn substituted(&mut self, text: &str) -> Word {
        let begin = self.count();
        self.in_subshell(|reader| reader.script(text));
        let known = match self.script.commands.get(begin..) {
            Some([one]) => wrappers::output_of(one),
            _ => None,
        };
        known.unwrap_or_else(Word::unknown)
    }

    fn check_no_command(&mut self, text: &str) {
        if text.contains("$(") || text.contains('`') {
            self.doubt("an expansion contains a command substitution");
        }
    }

    fn value(&self, name: &str) -> Vec<Word> {
        match (name, &self.cwd) {
            ("PWD", Some(cwd)) if !self.variables.contains_key(name) => vec![Word::new(cwd.clone())],
            _ => self.variables.get(name).cloned().unwrap_or_else(|| vec![Word::unknown()]),
        }
    }
}

/// Returns why a text is not parsed: the parser would take too long or overflow the stack.
fn parse_limit_error(text: &str) -> Option<&'static str> {
    let opening = |b: &u8| matches!(b, b'(' | b'{' | b'[' | b'`');
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    let opened = words.filter(|word| matches!(*word, "if" | "while" | "until" | "for" | "case" | "select")).count();
    match () {
        () if text.len() > LENGTH => Some("it is too long"),
        () if text.contains('\0') => Some("it contains a NUL character"),
        () if text.bytes().filter(|b| opening(b)).count() + opened > OPENINGS => Some("it is nested too deeply"),
        () if has_long_descriptor(text) => Some("it redirects an invalid file descriptor"),
        () => None,
    }
}

/// Checks for long numbers before `<` or `>`, which the parser cannot handle as file descriptors.
fn has_long_descriptor(text: &str) -> bool {
    text.split(['<', '>']).any(|before| before.bytes().rev().take_while(u8::is_ascii_digit).count() > 6)
}

fn parse(text: &str) -> Result<ast::Program, String> {
    let options = ParserOptions::default();
    let parsed = Parser::new(text.as_bytes(), &options).parse_program();
    parsed.map_err(|error| format!("it is not a valid shell command: {error}"))
}
