//! What is known while a command line is gone through: variables, the folder, functions, and what was found.

use super::word::{Known, Word, expand};
use super::wrappers;
use super::{Input, Redirect, Script, Simple};
use crate::protocol::matching::path;
use brush_parser::{Parser, ParserOptions, ast};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a command line that are read at most.
const LENGTH: usize = 64 << 10;
/// Marks that open something; the parser goes down a step for each.
const OPENINGS: usize = 400;
/// Simple commands that are told at most.
const COMMANDS: usize = 2_000;
/// How often a text that is itself a command line may hold another one.
const DEPTH: usize = 16;

/// Goes through a command line.
pub(in crate::protocol) struct Reader {
    script: Script,
    variables: BTreeMap<String, Vec<Word>>,
    pub(super) functions: BTreeSet<String>,
    pub(super) cwd: Option<String>,
    /// What comes on stdin to the group of commands that is gone through.
    pub(super) given: Input,
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
            given: Input::Inherited,
            depth: 0,
        }
    }

    pub fn finish(self) -> Script {
        self.script
    }

    /// How many commands were found so far.
    pub fn count(&self) -> usize {
        self.script.commands.len()
    }

    /// Whether one of the commands since then has this name.
    pub fn calls(&self, since: usize, name: &str) -> bool {
        self.script.commands.iter().skip(since).any(|simple| simple.program() == Some(name))
    }

    /// A text that is a command line, with the functions and variables of the one around it.
    pub fn script(&mut self, text: &str) {
        if let Some(why) = refusal(text) {
            return self.doubt(why);
        }
        if self.depth == DEPTH {
            return self.doubt("it is nested too deeply to be read");
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

    /// What runs in a shell of its own: it changes neither folder nor variables of this one.
    pub fn apart(&mut self, run: impl FnOnce(&mut Self)) {
        let kept = (self.cwd.clone(), self.variables.clone(), self.given.clone());
        run(self);
        (self.cwd, self.variables, self.given) = kept;
    }

    /// Gives a variable one more value: which of them it has when it is used, no reading tells.
    pub fn set(&mut self, name: &str, mut values: Vec<Word>) {
        let known = self.variables.entry(name.to_owned()).or_default();
        values.retain(|value| !known.contains(value));
        known.append(&mut values);
        known.truncate(16);
    }

    /// Notes a command, and what it runs in its turn.
    pub fn found(&mut self, simple: Simple) {
        if self.count() == COMMANDS {
            return self.doubt("it runs more commands than can be looked at");
        }
        let at = self.count();
        self.follow(&simple);
        self.script.commands.push(simple.clone());
        let run = wrappers::inner(&simple, &self.script.commands);
        if self.depth == DEPTH {
            return self.doubt("it is nested too deeply to be read");
        }
        self.depth += 1;
        for inner in run.inner {
            self.inner(inner, &simple);
        }
        self.depth -= 1;
        if let Some(simple) = self.script.commands.get_mut(at).filter(|_| self.script.doubts.is_empty()) {
            simple.wraps = run.is_clear;
        }
    }

    fn inner(&mut self, inner: wrappers::Inner, outer: &Simple) {
        match inner {
            wrappers::Inner::Words(words) => {
                let (sets, redirects, is_function) = (Vec::new(), Vec::new(), false);
                self.found(Simple { words, sets, redirects, is_function, wraps: false, ..outer.clone() });
            }
            wrappers::Inner::Script(word) if word.is_known() => self.apart(|reader| reader.script(&word.text)),
            wrappers::Inner::Here(word) if word.is_known() => self.script(&word.text),
            wrappers::Inner::Script(_) | wrappers::Inner::Here(_) => {
                self.doubt("it runs a text as a command that cannot be known");
            }
            wrappers::Inner::Unseen(why) => self.doubt(why),
        }
    }

    /// What a command does to the folder and the variables of what follows.
    fn follow(&mut self, simple: &Simple) {
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

    /// A redirection's file.
    pub fn redirect(&mut self, writes: bool, target: &ast::Word, redirects: &mut Vec<Redirect>) {
        let words = expand(&target.value, self);
        redirects.extend(words.into_iter().map(|target| Redirect { writes, target }));
    }

    /// The text of a here-document or here-string as far as it is known.
    pub fn text_input(&mut self, word: &ast::Word, is_expanded: bool) -> Input {
        if !is_expanded {
            return Input::Text(word.value.clone());
        }
        self.watch(&word.value);
        Input::Text(word.value.replace('$', "\0"))
    }
}

impl Known for Reader {
    fn doubt(&mut self, why: &str) {
        if !self.script.doubts.iter().any(|doubt| doubt == why) {
            self.script.doubts.push(why.to_owned());
        }
    }

    fn substituted(&mut self, text: &str) -> Word {
        let begin = self.count();
        self.apart(|reader| reader.script(text));
        let known = match self.script.commands.get(begin..) {
            Some([one]) => wrappers::printed(one),
            _ => None,
        };
        known.unwrap_or_else(Word::unknown)
    }

    fn watch(&mut self, text: &str) {
        if text.contains("$(") || text.contains('`') {
            self.doubt("a command is substituted within an expansion");
        }
    }

    fn value(&self, name: &str) -> Vec<Word> {
        match (name, &self.cwd) {
            ("PWD", Some(cwd)) if !self.variables.contains_key(name) => vec![Word::new(cwd.clone())],
            _ => self.variables.get(name).cloned().unwrap_or_else(|| vec![Word::unknown()]),
        }
    }
}

/// Why a text is not given to the parser: it would run for too long, or out of stack.
fn refusal(text: &str) -> Option<&'static str> {
    let opening = |b: &u8| matches!(b, b'(' | b'{' | b'[' | b'`');
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    let opened = words.filter(|word| matches!(*word, "if" | "while" | "until" | "for" | "case" | "select")).count();
    match () {
        () if text.len() > LENGTH => Some("it is too long to be read"),
        () if text.contains('\0') => Some("it holds a NUL character"),
        () if text.bytes().filter(|b| opening(b)).count() + opened > OPENINGS => {
            Some("it is nested too deeply to be read")
        }
        () if has_long_descriptor(text) => Some("it redirects a file descriptor that cannot be"),
        () => None,
    }
}

/// Digits before `<` or `>` that are no number of a descriptor, which the parser does not bear.
fn has_long_descriptor(text: &str) -> bool {
    text.split(['<', '>']).any(|before| before.bytes().rev().take_while(u8::is_ascii_digit).count() > 6)
}

fn parse(text: &str) -> Result<ast::Program, String> {
    let options = ParserOptions::default();
    let parsed = Parser::new(text.as_bytes(), &options).parse_program();
    parsed.map_err(|error| format!("it cannot be read as a command line of a shell: {error}"))
}
