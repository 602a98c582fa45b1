//! Walks the syntax tree of brush-parser.

use super::read::Reader;
use super::word::{ShellContext as _, Word, expand};
use super::{Redirect, SimpleCommand, Stdin};
use brush_parser::ast::{
    self, AndOr, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand,
    CompoundList, IoFileRedirectKind as RedirectKind, IoFileRedirectTarget as RedirectTarget, IoRedirect,
    SeparatorOperator,
};

/// The parts of a simple command.
#[derive(Default)]
struct SimpleParts {
    words: Vec<Word>,
    sets: Vec<(String, Vec<Word>)>,
    redirects: Vec<Redirect>,
    input: Option<Stdin>,
}

impl Reader {
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
                let (name, begin) = (&function.fname.value, self.count());
                self.functions.insert(name.clone());
                let ast::FunctionBody(body, redirects) = &function.body;
                self.in_subshell(|reader| reader.compound(body, redirects.as_ref(), Stdin::Inherited));
                if self.calls(begin, name) {
                    self.doubt("a function calls itself");
                }
            }
            Command::ExtendedTest(test, redirects) => {
                self.test(&test.expr);
                self.redirects(redirects.as_ref(), input);
            }
        }
    }

    /// Analyses a compound command, whose commands share redirections and stdin.
    fn compound(&mut self, compound: &CompoundCommand, redirects: Option<&ast::RedirectList>, input: Stdin) {
        let input = self.redirects(redirects, input);
        let given = std::mem::replace(&mut self.given, input);
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => self.check_no_command(&arithmetic.expr.value),
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
            None => vec![Word::unknown()],
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
        redirected.unwrap_or_else(|| if piped == Stdin::Inherited { self.given.clone() } else { piped })
    }

    fn simple(&mut self, simple: &ast::SimpleCommand, input: Stdin) {
        let (begin, mut parts) = (self.count(), SimpleParts::default());
        simple.prefix.iter().flat_map(|prefix| &prefix.0).for_each(|item| self.item(item, &mut parts));
        if let Some(name) = &simple.word_or_name {
            parts.words.extend(expand(&name.value, self));
        }
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
        let is_function = parts.words.first().is_some_and(|word| self.functions.contains(&word.text));
        let (words, redirects) = (parts.words, parts.redirects);
        let sets = parts.sets.into_iter().map(|(name, _)| name).collect();
        let (input, cwd, holds) = (self.stdin(parts.input, input), self.cwd.clone(), (begin..self.count()).collect());
        self.add(SimpleCommand { words, sets, redirects, input, cwd, holds, wraps: false, is_function });
    }

    fn item(&mut self, item: &Item, parts: &mut SimpleParts) {
        match item {
            Item::Word(word) => parts.words.extend(expand(&word.value, self)),
            Item::IoRedirect(redirect) => self.io(redirect, parts),
            Item::ProcessSubstitution(_, shell) => {
                self.in_subshell(|reader| reader.list(&shell.list));
                parts.words.push(Word::unknown());
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
                let AssignmentName::VariableName(name) = &assignment.name else { return };
                let values = if assignment.append { vec![Word::unknown()] } else { values };
                parts.sets.push((name.clone(), values));
            }
        }
    }

    fn io(&mut self, redirect: &IoRedirect, parts: &mut SimpleParts) {
        match redirect {
            IoRedirect::File(_, kind, target) => {
                let writes = !matches!(kind, RedirectKind::Read | RedirectKind::DuplicateInput);
                match target {
                    RedirectTarget::Filename(word) => self.redirect(writes, word, &mut parts.redirects),
                    RedirectTarget::Duplicate(word) if word.value.bytes().all(|b| b.is_ascii_digit() || b == b'-') => {}
                    RedirectTarget::Duplicate(word) => self.redirect(writes, word, &mut parts.redirects),
                    RedirectTarget::Fd(_) => {}
                    RedirectTarget::ProcessSubstitution(_, shell) => {
                        let begin = self.count();
                        self.in_subshell(|reader| reader.list(&shell.list));
                        if !writes {
                            parts.input = Some(Stdin::Pipe((begin..self.count()).collect()));
                        }
                    }
                }
            }
            IoRedirect::OutputAndError(word, _) => self.redirect(true, word, &mut parts.redirects),
            IoRedirect::HereDocument(_, document) => {
                parts.input = Some(self.text_input(&document.doc, document.requires_expansion));
            }
            IoRedirect::HereString(_, word) => {
                let words = expand(&word.value, self);
                let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join("\n");
                parts.input = Some(Stdin::Text(text));
            }
        }
    }
}
