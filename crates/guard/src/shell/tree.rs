//! Walks the syntax tree of brush-parser.

use super::possible;
use super::read::ShellReader;
use super::read::{Function, PENDING, own_program};
use super::word::{ShellContext as _, Word, alternatives, expand};
use super::{Redirect, SimpleCommand, Stdin};
use brush_parser::ast::{
    self, AndOr, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand,
    CompoundList, IoFileRedirectKind as RedirectKind, IoFileRedirectTarget as RedirectTarget, IoRedirect,
    SeparatorOperator, SourceLocation as _,
};
use std::rc::Rc;

/// The parts of a simple command.
#[derive(Default)]
struct SimpleParts {
    words: Vec<Word>,
    sets: Vec<(String, Vec<Word>)>,
    redirects: Vec<Redirect>,
    input: Option<Stdin>,
}

impl ShellReader {
    pub(super) fn list(&mut self, list: &CompoundList) {
        for ast::CompoundListItem(and_or, separator) in &list.0 {
            match separator {
                SeparatorOperator::Async => self.in_subshell(|reader| reader.and_or(and_or)),
                SeparatorOperator::Sequence => self.and_or(and_or),
            }
        }
    }

    fn and_or(&mut self, list: &ast::AndOrList) {
        self.pipeline(&list.first);
        for AndOr::And(pipeline) | AndOr::Or(pipeline) in &list.additional {
            self.pipeline(pipeline);
        }
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline) {
        self.enter(pipeline.location().as_ref());
        if let [command] = &pipeline.seq[..] {
            return self.command(command, Stdin::Inherited);
        }
        let begin = self.count();
        for (at, command) in pipeline.seq.iter().enumerate() {
            let input = if at == 0 { Stdin::Inherited } else { Stdin::Pipe((begin..self.count()).collect()) };
            self.in_subshell(|reader| reader.command(command, input));
        }
    }

    fn command(&mut self, command: &Command, input: Stdin) {
        match command {
            Command::Simple(simple) => self.simple(simple, input),
            Command::Compound(compound, redirects) => self.compound(compound, redirects.as_ref(), input),
            Command::Function(function) => {
                let body = Rc::new(function.body.clone());
                self.functions.insert(function.fname.value.clone(), Function { body, is_called: false });
            }
            Command::ExtendedTest(test, redirects) => {
                self.test(&test.expr);
                self.redirects(redirects.as_ref(), input);
            }
        }
    }

    /// Analyses a compound command, whose commands share redirections and stdin.
    pub(super) fn compound(&mut self, compound: &CompoundCommand, redirects: Option<&ast::RedirectList>, input: Stdin) {
        let input = self.redirects(redirects, input);
        let given = std::mem::replace(&mut self.given, input);
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => {
                self.check_no_command(&arithmetic.expr.value);
                // A shell reads `(((a b)))` as subshells if it is no arithmetic.
                self.possibly(|reader| reader.script(&arithmetic.expr.value));
            }
            CompoundCommand::ArithmeticForClause(each) => {
                for expression in [&each.initializer, &each.condition, &each.updater].into_iter().flatten() {
                    self.check_no_command(&expression.value);
                }
                self.list(&each.body.list);
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(shell) => self.in_subshell(|reader| reader.list(&shell.list)),
            CompoundCommand::ForClause(each) => self.for_each(each),
            CompoundCommand::CaseClause(case) => self.case(case),
            CompoundCommand::IfClause(choice) => self.choice(choice),
            CompoundCommand::WhileClause(ast::WhileOrUntilClauseCommand(condition, body, _))
            | CompoundCommand::UntilClause(ast::WhileOrUntilClauseCommand(condition, body, _)) => {
                self.list(condition);
                self.list(&body.list);
            }
            CompoundCommand::Coprocess(process) => {
                self.in_subshell(|reader| reader.command(&process.body, Stdin::Inherited))
            }
        }
        self.given = given;
    }

    fn for_each(&mut self, each: &ast::ForClauseCommand) {
        let values: Vec<Word> = match &each.values {
            Some(values) => values.iter().flat_map(|value| expand(&value.value, self)).collect(),
            None => self.all_positional(),
        };
        self.set(&each.variable_name, values);
        self.list(&each.body.list);
    }

    fn case(&mut self, case: &ast::CaseClauseCommand) {
        expand(&case.value.value, self);
        for item in &case.cases {
            item.patterns.iter().for_each(|pattern| drop(expand(&pattern.value, self)));
            item.cmd.iter().for_each(|list| self.list(list));
        }
    }

    fn choice(&mut self, choice: &ast::IfClauseCommand) {
        self.list(&choice.condition);
        self.list(&choice.then);
        for other in choice.elses.iter().flatten() {
            other.condition.iter().for_each(|condition| self.list(condition));
            self.list(&other.body);
        }
    }

    fn test(&mut self, test: &ast::ExtendedTestExpr) {
        use ast::ExtendedTestExpr as Test;
        match test {
            Test::And(left, right) | Test::Or(left, right) => {
                self.test(left);
                self.test(right);
            }
            Test::Not(inner) | Test::Parenthesized(inner) => self.test(inner),
            Test::UnaryTest(_, word) => drop(expand(&word.value, self)),
            Test::BinaryTest(_, left, right) => {
                expand(&left.value, self);
                expand(&right.value, self);
            }
        }
    }

    fn redirects(&mut self, list: Option<&ast::RedirectList>, input: Stdin) -> Stdin {
        let mut parts = SimpleParts::default();
        list.iter().flat_map(|list| &list.0).for_each(|redirect| self.io(redirect, &mut parts));
        if !parts.redirects.is_empty() {
            self.add(SimpleCommand { redirects: parts.redirects, cwd: self.cwd.clone(), ..SimpleCommand::default() });
        }
        self.stdin(parts.input, input)
    }

    /// Returns the stdin of a command: redirected, otherwise piped, otherwise that of the group.
    fn stdin(&self, redirected: Option<Stdin>, piped: Stdin) -> Stdin {
        match (redirected, piped) {
            (Some(redirected), _) => redirected,
            (None, Stdin::Inherited) if !self.is_exhausted() => self.given.clone(),
            (None, piped) => piped,
        }
    }

    fn simple(&mut self, simple: &ast::SimpleCommand, input: Stdin) {
        let begin = self.count();
        let mut parts = SimpleParts::default();
        simple.prefix.iter().flat_map(|prefix| &prefix.0).for_each(|item| self.item(item, &mut parts));
        // The words may depend on which value the program's variable has.
        let mut programs: Vec<Vec<Word>> = match &simple.word_or_name {
            Some(name) => alternatives(&name.value, self),
            None => vec![Vec::new()],
        };
        let is_named = |words: &Vec<Word>| words.first().is_none_or(Word::is_known);
        if programs.iter().any(&is_named) {
            programs.retain(is_named);
        }
        parts.words = programs.first().cloned().unwrap_or_default();
        let own = parts.words.len();
        simple.suffix.iter().flat_map(|suffix| &suffix.0).for_each(|item| self.item(item, &mut parts));
        let declares =
            |word: &Word| matches!(word.text.as_str(), "export" | "declare" | "local" | "readonly" | "typeset");
        if parts.words.first().is_none_or(declares) {
            for (name, values) in std::mem::take(&mut parts.sets) {
                self.set(&name, values);
            }
        }
        if parts.words.is_empty() && parts.redirects.is_empty() {
            return;
        }
        // A value may be a command that the program runs, as that of `PAGER`.
        let values = parts.sets.iter().flat_map(|(_, values)| values).filter(|value| value.text.contains(' '));
        let lines: Vec<String> = values.flat_map(|value| possible::lines_in(&value.text)).collect();
        for line in lines {
            self.possibly(|reader| reader.script(&line));
        }
        let sets: Vec<String> = parts.sets.into_iter().map(|(name, _)| name).collect();
        let input = self.stdin(parts.input, input);
        let cwd = self.cwd.clone();
        let holds: Vec<usize> = (begin..self.count()).collect();
        let args = parts.words.split_off(own);
        let size: usize = args.iter().map(|word| word.text.len()).sum();
        for (nth, program) in programs.into_iter().take(8).enumerate() {
            if nth > 0 && !self.spend(size) {
                break;
            }
            let words = own_program(program.into_iter().chain(args.iter().cloned()).collect());
            let name = words.first().map(|word| word.text.clone()).filter(|name| self.functions.contains_key(name));
            let end = self.count();
            self.add(SimpleCommand {
                words: words.clone(),
                sets: sets.clone(),
                redirects: parts.redirects.clone(),
                input: input.clone(),
                cwd: cwd.clone(),
                holds: holds.clone(),
                is_function: name.is_some(),
                ..SimpleCommand::default()
            });
            self.connect(begin, end);
            if let Some(name) = name {
                self.call(&name, Some(words), input.clone());
            }
        }
    }

    fn item(&mut self, item: &Item, parts: &mut SimpleParts) {
        match item {
            Item::Word(word) => parts.words.extend(expand(&word.value, self)),
            Item::IoRedirect(redirect) => self.io(redirect, parts),
            Item::ProcessSubstitution(kind, shell) => {
                let file = self.process_substitution(kind, shell);
                parts.words.push(file);
            }
            Item::AssignmentWord(assignment, word) => {
                let values = match &assignment.value {
                    AssignmentValue::Scalar(value) => expand(&value.value, self),
                    AssignmentValue::Array(values) => {
                        values.iter().flat_map(|(_, value)| expand(&value.value, self)).collect()
                    }
                };
                // After the program, an assignment is an ordinary argument, which `env` and `export` interpret.
                if !parts.words.is_empty() {
                    parts.words.extend(expand(&word.value, self));
                }
                let name = match &assignment.name {
                    AssignmentName::VariableName(name) => name,
                    AssignmentName::ArrayElementName(name, index) => {
                        self.check_no_command(index);
                        name
                    }
                };
                let values = if assignment.append { vec![Word::unknown()] } else { values };
                parts.sets.push((name.clone(), values));
            }
        }
    }

    /// Analyses `<(…)` and `>(…)`, and returns the name of the file.
    fn process_substitution(&mut self, kind: &ast::ProcessSubstitutionKind, shell: &ast::SubshellCommand) -> Word {
        let begin = self.count();
        let writes = matches!(kind, ast::ProcessSubstitutionKind::Write);
        self.in_subshell(|reader| {
            reader.given = if writes { Stdin::Pipe(vec![PENDING]) } else { Stdin::Inherited };
            reader.list(&shell.list);
        });
        let from = (begin..self.count()).collect();
        self.add_file(None, if writes { Stdin::Inherited } else { Stdin::Pipe(from) })
    }

    fn io(&mut self, redirect: &IoRedirect, parts: &mut SimpleParts) {
        match redirect {
            IoRedirect::File(_, kind, target) => {
                let writes = !matches!(kind, RedirectKind::Read | RedirectKind::DuplicateInput);
                match target {
                    RedirectTarget::Filename(word) => {
                        self.redirect(writes, word, &mut parts.redirects);
                        let content = parts.redirects.last().and_then(|redirect| self.content_of(&redirect.target));
                        parts.input = content.filter(|_| !writes).or(parts.input.take());
                    }
                    RedirectTarget::Duplicate(word) if word.value.bytes().all(|b| b.is_ascii_digit() || b == b'-') => {}
                    RedirectTarget::Duplicate(word) => self.redirect(writes, word, &mut parts.redirects),
                    RedirectTarget::Fd(_) => {}
                    RedirectTarget::ProcessSubstitution(kind, shell) => {
                        let file = self.process_substitution(kind, shell);
                        parts.input = self.content_of(&file).filter(|_| !writes).or(parts.input.take());
                    }
                }
            }
            IoRedirect::OutputAndError(word, _) => self.redirect(true, word, &mut parts.redirects),
            IoRedirect::HereDocument(fd, document) => {
                let text = self.text_input(&document.doc, document.requires_expansion);
                self.take_input(fd.as_ref(), text, parts);
            }
            IoRedirect::HereString(fd, word) => {
                let words = expand(&word.value, self);
                let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join("\n");
                self.take_input(fd.as_ref(), Stdin::Text(text), parts);
            }
        }
    }

    /// Another descriptor than 0 is read through its file.
    fn take_input(&mut self, fd: Option<&i32>, text: Stdin, parts: &mut SimpleParts) {
        match fd {
            Some(fd) if *fd != 0 => drop(self.add_file(Some(format!("/dev/fd/{fd}")), text)),
            _ => parts.input = Some(text),
        }
    }
}
