//! The state of the analysis of a command line: variables, folder, functions, and the commands found.

use super::inner_command::InnerCommand;
use super::word::{ShellContext, Word, expand};
use super::{Redirect, Script, SimpleCommand, Stdin};
use super::{limits, output, wrappers};
use crate::matching::path;
use brush_parser::SourceSpan;
use brush_parser::{Parser, ParserOptions, ast};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// The maximum number of simple commands.
const COMMANDS: usize = 2_000;
/// Stands for a command that is not added yet.
pub(super) const PENDING: usize = usize::MAX;
/// The maximum nesting of command lines within command lines.
const DEPTH: usize = 16;

/// The maximum number of values of a variable.
const VALUES: usize = 64;
/// The maximum work beyond reading the text once, in bytes: what variables, loops and calls repeat. Without it, 34 assignments
/// such as `b=$a$a` would need more memory than any machine has.
pub(super) const WORK: usize = 16 * limits::LENGTH;
/// The work for each word of a command, beside its text.
const WORD: usize = 8;
/// The words of a command that are kept when no work is left.
const WORDS_OVER: usize = 64;

/// Analyses a command line.
pub(crate) struct ShellReader {
    script: Script,
    /// Shared with the shells around a subshell until it sets one.
    variables: Rc<BTreeMap<String, Vec<Word>>>,
    /// The bytes in the variables.
    held: usize,
    /// The work done so far, see [`WORK`].
    pub(super) spent: usize,
    pub(super) functions: BTreeMap<String, Function>,
    pub(super) cwd: Option<String>,
    /// The stdin of the current group of commands.
    pub(super) given: Stdin,
    /// The positional parameters, counted from 0; `None` if they are unknown.
    pub(super) positional: Option<Vec<Word>>,
    /// The functions that are being called.
    pub(super) calling: Vec<String>,
    /// The files that the command line writes, with their content.
    files: Vec<(String, Stdin)>,
    /// Whether the commands are only possible, see [`SimpleCommand::is_possible`].
    is_possible: bool,
    depth: usize,
    /// The command lines that are being read, one within the other.
    nesting: usize,
    /// See [`SimpleCommand::lines`].
    lines: Range<usize>,
}

/// A function that the command line defines.
#[derive(Clone)]
pub(super) struct Function {
    pub body: Rc<ast::FunctionBody>,
    pub is_called: bool,
}

impl ShellReader {
    pub fn new(cwd: Option<&str>) -> Self {
        // The usual values of variables that are set for every command.
        let usual =
            [("HOME", "~"), ("SHELL", "/bin/sh"), ("BASH", "/bin/bash"), ("TMPDIR", "/tmp"), ("PYTHON", "python3")];
        let variables = usual.map(|(name, value)| (name.to_owned(), vec![Word::new(value)]));
        Self {
            script: Script::default(),
            variables: Rc::new(BTreeMap::from(variables)),
            held: 0,
            spent: 0,
            functions: BTreeMap::new(),
            cwd: cwd.map(str::to_owned),
            given: Stdin::Inherited,
            positional: None,
            calling: Vec::new(),
            files: Vec::new(),
            is_possible: false,
            depth: 0,
            nesting: 0,
            lines: 0..0,
        }
    }

    /// Returns the result. A function that is never called may still be called by another program.
    pub fn finish(mut self) -> Script {
        let uncalled: Vec<String> =
            self.functions.iter().filter(|(_, function)| !function.is_called).map(|(name, _)| name.clone()).collect();
        for name in uncalled {
            self.in_subshell(|reader| reader.call(&name, None, Stdin::Inherited));
        }
        self.script
    }

    /// Whether no work is left.
    pub(super) fn is_exhausted(&self) -> bool {
        self.spent > WORK
    }

    /// The result, and the work it took.
    #[cfg(test)]
    pub fn finish_with_work(mut self) -> (Script, usize) {
        self.spend(0);
        let spent = self.spent;
        (self.finish(), spent)
    }

    pub fn count(&self) -> usize {
        self.script.commands.len()
    }

    /// Analyses a command line with the current functions and variables.
    pub fn script(&mut self, text: &str) {
        if let Some(why) = limits::error(text) {
            return self.doubt(why);
        }
        let separated = limits::separate_parentheses(text);
        let text = separated.as_deref().unwrap_or(text);
        if self.depth == DEPTH {
            return self.doubt("it is nested too deeply");
        }
        if self.depth > 0 && !self.spend(text.len()) {
            return;
        }
        match parse(text) {
            Ok(program) => {
                self.depth += 1;
                self.nesting += 1;
                program.complete_commands.iter().for_each(|list| self.list(list));
                self.nesting -= 1;
                self.depth -= 1;
            }
            Err(why) => self.doubt(&why),
        }
    }

    /// Notes where the next commands are, if they are in the text itself.
    pub(super) fn enter(&mut self, place: Option<&SourceSpan>) {
        if let Some(place) = place.filter(|_| self.nesting == 1) {
            self.lines = place.start.line.saturating_sub(1)..place.end.line;
        }
    }

    /// Analyses commands of a subshell, which cannot change the folder or variables.
    pub fn in_subshell(&mut self, run: impl FnOnce(&mut Self)) {
        let given = if let Stdin::Text(text) = &self.given { text.len() } else { 0 };
        self.spend(given + WORD * self.positional.as_ref().map_or(0, Vec::len));
        let kept =
            (self.cwd.clone(), Rc::clone(&self.variables), self.held, self.given.clone(), self.positional.clone());
        run(self);
        (self.cwd, self.variables, self.held, self.given, self.positional) = kept;
    }

    /// Adds possible values to a variable. The analysis does not know which of them applies.
    pub fn set(&mut self, name: &str, mut values: Vec<Word>) {
        if Rc::strong_count(&self.variables) > 1 && !self.spend(self.held) {
            return;
        }
        let known = Rc::make_mut(&mut self.variables).entry(name.to_owned()).or_default();
        values.retain(|value| !known.contains(value));
        values.truncate(VALUES.saturating_sub(known.len()));
        self.held += values.iter().map(|value| value.text.len()).sum::<usize>();
        known.append(&mut values);
    }

    /// Calls a function. The positional parameters are `None` if they are unknown.
    pub fn call(&mut self, name: &str, positional: Option<Vec<Word>>, input: Stdin) {
        let Some(function) = self.functions.get_mut(name) else { return };
        function.is_called = true;
        let body = Rc::clone(&function.body);
        if self.calling.iter().any(|calling| calling == name) {
            return self.doubt("a function calls itself");
        }
        if self.depth == DEPTH || self.count() == COMMANDS {
            return self.doubt("it is nested too deeply");
        }
        self.depth += 1;
        self.calling.push(name.to_owned());
        let kept = std::mem::replace(&mut self.positional, positional);
        let ast::FunctionBody(body, redirects) = &*body;
        self.compound(body, redirects.as_ref(), input);
        self.positional = kept;
        self.calling.pop();
        self.depth -= 1;
    }

    /// Adds a command and the commands that it runs.
    pub fn add(&mut self, mut simple: SimpleCommand) {
        if self.count() == COMMANDS {
            return self.doubt("it runs too many commands");
        }
        let at = self.count();
        // The commands of a group share its stdin.
        if matches!(&simple.input, Stdin::Text(text) if !self.spend(text.len())) {
            simple.input = Stdin::Inherited;
        }
        if !self.spend(WORD * simple.words.len()) {
            simple.words.truncate(WORDS_OVER);
        }
        simple.is_possible |= self.is_possible;
        simple.lines = self.lines.clone();
        self.apply_effects(&mut simple);
        self.record_files(&simple, at);
        self.script.commands.push(simple.clone());
        if self.is_possible {
            return;
        }
        let run = wrappers::inner(&simple, &self.script.commands);
        if self.depth == DEPTH {
            return self.doubt("it is nested too deeply");
        }
        self.depth += 1;
        let mut outer = simple.clone();
        if let Some(folder) = &run.folder {
            outer.cwd = if folder.is_known() { path::resolve(outer.cwd.as_deref(), &folder.text) } else { None };
        }
        for inner in run.inner {
            let is_file = matches!(inner, InnerCommand::File(..));
            if run.is_possible && !is_file {
                self.possibly(|reader| reader.inner(inner, &outer));
            } else {
                self.inner(inner, &outer);
            }
        }
        self.depth -= 1;
        if let Some(simple) = self.script.commands.get_mut(at).filter(|_| self.script.doubts.is_empty()) {
            simple.wraps = run.has_no_other_effect;
        }
    }

    /// Analyses commands that a program may run. What cannot be analysed is no command.
    pub fn possibly(&mut self, run: impl FnOnce(&mut Self)) {
        let doubts = self.script.doubts.clone();
        let files = self.files.len();
        let is_possible = std::mem::replace(&mut self.is_possible, true);
        self.in_subshell(run);
        self.is_possible = is_possible;
        self.files.truncate(files);
        self.script.doubts = doubts;
    }

    fn inner(&mut self, inner: InnerCommand, outer: &SimpleCommand) {
        use InnerCommand as Inner;
        match inner {
            Inner::Words(words) => {
                let words = own_program(words);
                let sets = Vec::new();
                let redirects = Vec::new();
                let is_function = false;
                self.add(SimpleCommand { words, sets, redirects, is_function, wraps: false, ..outer.clone() });
            }
            Inner::Script(word) if word.is_known() => self.nested(&word.text, outer, None),
            Inner::ScriptWith(word, args) if word.is_known() => self.nested(&word.text, outer, Some(args)),
            Inner::SameShell(word) if word.is_known() => self.script(&word.text),
            Inner::Script(_) | Inner::ScriptWith(..) | Inner::SameShell(_) => {
                self.doubt("it runs an unknown text as a command");
            }
            Inner::File(file, args) => {
                let Some(content) = self.content_of(&file) else { return };
                match wrappers::stdin_commands(&content, &self.script.commands) {
                    Some(Inner::Script(word)) if word.is_known() => {
                        let args = std::iter::once(file).chain(args).collect();
                        self.nested(&word.text, outer, Some(args));
                    }
                    Some(_) => self.doubt("it runs a file with unknown content, which it has just written"),
                    None => {}
                }
            }
            Inner::Unknown(why) => self.doubt(why),
        }
    }

    /// Analyses a command line that another command runs, with its folder and stdin.
    fn nested(&mut self, text: &str, outer: &SimpleCommand, positional: Option<Vec<Word>>) {
        self.in_subshell(|reader| {
            reader.cwd.clone_from(&outer.cwd);
            reader.given = outer.input.clone();
            reader.positional = positional;
            reader.script(text);
        });
    }

    /// Records the files that a command writes.
    fn record_files(&mut self, simple: &SimpleCommand, at: usize) {
        let mut written: Vec<(&Word, Stdin)> =
            simple.redirects.iter().filter(|r| r.writes).map(|r| (&r.target, Stdin::Pipe(vec![at]))).collect();
        if matches!(simple.program(), Some("tee" | "sponge")) {
            let names = simple.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
            written.extend(names.map(|word| (word, simple.input.clone())));
        }
        for (word, content) in written {
            if let Some(path) = path::resolve(simple.cwd.as_deref(), &word.text).filter(|_| word.is_known()) {
                self.files.push((path, content));
            }
        }
    }

    /// Adds a file with known content, such as a process substitution, and returns its name.
    pub fn add_file(&mut self, name: Option<String>, content: Stdin) -> Word {
        let name = name.unwrap_or_else(|| format!("/dev/fd/{}", 1000 + self.files.len()));
        self.files.push((name.clone(), content));
        Word::new(name)
    }

    /// Returns the content of a file that the command line writes.
    pub fn content_of(&self, file: &Word) -> Option<Stdin> {
        let path = path::resolve(self.cwd.as_deref(), &file.text).filter(|_| file.is_known())?;
        self.files.iter().rfind(|(name, _)| *name == path).map(|(_, content)| content.clone())
    }

    /// Names the command that reads a process substitution once it is known.
    pub fn connect(&mut self, begin: usize, end: usize) {
        for simple in self.script.commands.get_mut(begin..end).into_iter().flatten() {
            if simple.input == Stdin::Pipe(vec![PENDING]) {
                simple.input = Stdin::Pipe(vec![end]);
            }
        }
    }

    /// Applies the effect of a command on the folder and the variables.
    fn apply_effects(&mut self, simple: &mut SimpleCommand) {
        match simple.program() {
            Some("git") => {
                for two in simple.words.windows(2).skip(1).take_while(|two| two[0].text.starts_with('-')) {
                    if two[0].text == "-C" {
                        let folder = Some(&two[1]).filter(|word| word.is_known());
                        simple.cwd = folder.and_then(|word| path::resolve(simple.cwd.as_deref(), &word.text));
                    }
                }
            }
            Some("set") => {
                let args = &simple.words[1..];
                let at = args.iter().position(|word| word.text == "--").map(|at| at + 1);
                let at = at.or_else(|| args.iter().position(|word| !word.text.starts_with(['-', '+'])));
                if let Some(at) = at {
                    let program = self.positional(0);
                    self.positional = Some(std::iter::once(program).chain(args[at..].iter().cloned()).collect());
                }
            }
            Some("shift") => {
                if let Some(positional) = &mut self.positional
                    && positional.len() > 1
                {
                    positional.remove(1);
                }
            }
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

    /// Returns the known text of a here-document.
    pub fn text_input(&mut self, word: &ast::Word, is_expanded: bool) -> Stdin {
        if !is_expanded {
            return Stdin::Text(word.value.clone());
        }
        Stdin::Text(self.expanded_text(&word.value))
    }

    /// Expands a here-document: its substitutions run, and unknown values become NUL.
    fn expanded_text(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        let mut is_unclosed = false;
        while let Some(at) = rest.find(['$', '`', '\\']) {
            out.push_str(&rest[..at]);
            let (mark, behind) = rest[at..].split_at(1);
            rest = behind;
            if mark == "\\" {
                let escaped = rest.chars().next().filter(|c| matches!(c, '$' | '`' | '\\' | '\n'));
                out.extend(escaped.map_or(Some('\\'), |c| (c != '\n').then_some(c)));
                rest = &rest[escaped.map_or(0, char::len_utf8)..];
                continue;
            }
            // Behind one that is not closed, none is looked for: each search would go on to the end of the text.
            let found = if is_unclosed { None } else { limits::substitution(mark, rest) };
            match found {
                Some((inner, after)) => {
                    let printed = self.substituted(inner);
                    out.push_str(if self.spend(printed.text.len()) { &printed.text } else { "\0" });
                    rest = after;
                }
                None if mark == "`" || rest.starts_with('(') => {
                    is_unclosed = true;
                    self.doubt("an expansion contains a command substitution");
                    out.push('\0');
                }
                None => {
                    let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                    let (name, after) = rest.split_at(length);
                    match &self.value(name)[..] {
                        [one] if length > 0 && self.spend(one.text.len()) => out.push_str(&one.text),
                        _ => out.push('\0'),
                    }
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out
    }
}

impl ShellContext for ShellReader {
    fn spend(&mut self, cost: usize) -> bool {
        if cost == 0 {
            return true;
        }
        self.spent = self.spent.saturating_add(cost);
        if self.is_exhausted() {
            self.doubt("it expands to too much");
        }
        !self.is_exhausted()
    }

    fn doubt(&mut self, why: &str) {
        if !self.script.doubts.iter().any(|doubt| doubt == why) {
            self.script.doubts.push(why.to_owned());
        }
    }

    fn substituted(&mut self, text: &str) -> Word {
        let begin = self.count();
        self.in_subshell(|reader| reader.script(text));
        let mut run = self.script.commands[begin.min(self.count())..].iter().filter(|simple| !simple.is_possible);
        let known = match (run.next(), run.next()) {
            (Some(one), None) => output::output_of(one).or_else(|| output::names_as_text(one)),
            _ => None,
        };
        known.unwrap_or_else(Word::unknown)
    }

    fn check_no_command(&mut self, text: &str) {
        if text.contains("$(") || text.contains('`') {
            // A substitution in it runs, whatever becomes of its output.
            self.expanded_text(text);
        }
    }

    fn value(&self, name: &str) -> Vec<Word> {
        match (name, &self.cwd) {
            _ if self.is_exhausted() => vec![Word::unknown()],
            ("PWD", Some(cwd)) if !self.variables.contains_key(name) => vec![Word::new(cwd.clone())],
            _ => self.variables.get(name).cloned().unwrap_or_else(|| vec![Word::inherited()]),
        }
    }

    fn positional(&self, at: usize) -> Word {
        match &self.positional {
            Some(words) => words.get(at).cloned().unwrap_or_default(),
            None => Word::unknown(),
        }
    }

    fn all_positional(&self) -> Vec<Word> {
        match &self.positional {
            Some(words) if !self.is_exhausted() => words.get(1..).unwrap_or_default().to_vec(),
            _ => vec![Word::unknown()],
        }
    }

    fn splits_at_blanks(&self) -> bool {
        self.variables
            .get("IFS")
            .is_none_or(|values| values.iter().all(|value| value.text.trim().is_empty() && value.is_known()))
    }
}

/// Names git's commands as `git` does: `/usr/lib/git-core/git-push` is `git push`.
pub(super) fn own_program(mut words: Vec<Word>) -> Vec<Word> {
    let name = words.first().map(|word| word.text.rsplit('/').next().unwrap_or(&word.text).to_owned());
    if let Some(subcommand) = name.as_deref().and_then(|name| name.strip_prefix("git-")) {
        let subcommand = Word::new(subcommand);
        words.splice(..1, [Word::new("git"), subcommand]);
    }
    words
}

fn parse(text: &str) -> Result<ast::Program, String> {
    let options = ParserOptions::default();
    let parsed = limits::parsed(|| Parser::new(text.as_bytes(), &options).parse_program());
    let Some(parsed) = parsed else { return Err("it cannot be parsed".to_owned()) };
    parsed.map_err(|error| format!("it is not a valid shell command: {error}"))
}
