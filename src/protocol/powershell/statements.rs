//! Translates statements and pipelines of PowerShell.

use super::cmdlets::{self, Argument, Call, Input, Rendered};
use super::reader::{Translator, ends_word};
use super::value::{Piece, Value, plain, printed, variable_name};

/// Words before a block or a condition.
const KEYWORDS: [&str; 29] = [
    "if",
    "elseif",
    "else",
    "while",
    "for",
    "switch",
    "try",
    "catch",
    "finally",
    "do",
    "until",
    "begin",
    "process",
    "end",
    "return",
    "throw",
    "exit",
    "trap",
    "param",
    "function",
    "filter",
    "class",
    "enum",
    "using",
    "dynamicparam",
    "data",
    "parallel",
    "sequence",
    "foreach",
];

impl Translator {
    /// Translates statements up to a bracket or the end of the text.
    pub fn statements(&mut self, until: Option<char>) -> String {
        let mut script = String::new();
        loop {
            self.skip_blanks(true);
            match self.peek() {
                None => {
                    if until.is_some() {
                        self.doubt("a bracket is not closed");
                    }
                    return script;
                }
                Some(c) if Some(c) == until => {
                    self.skip(1);
                    return script;
                }
                Some(';') => self.skip(1),
                Some('&') if self.peek_at(1) == Some('&') => self.skip(2),
                Some('|') => self.skip(1),
                Some(')' | '}') => {
                    self.doubt("a bracket is not opened");
                    self.skip(1);
                }
                Some(_) => {
                    let start = self.position();
                    let statement = self.statement();
                    if !statement.trim().is_empty() {
                        script.push_str(&statement);
                        script.push('\n');
                    }
                    if self.position() == start {
                        self.skip(1);
                    }
                }
            }
        }
    }

    fn statement(&mut self) -> String {
        if self.peek() == Some('{') {
            return branch(&self.block());
        }
        let word = self.keyword();
        if word == "foreach" && self.is_loop() {
            return self.for_each();
        }
        if KEYWORDS.contains(&word.as_str()) && word != "foreach" {
            self.skip(word.chars().count());
            return self.control(&word);
        }
        // `[string]$x = …`
        while self.peek() == Some('[') && self.is_cast() {
            self.skip_brackets();
            self.skip_blanks(false);
        }
        if self.peek() == Some('$')
            && let Some(statement) = self.assignment()
        {
            return statement;
        }
        self.pipeline()
    }

    /// Returns the word that follows, in lower case.
    fn keyword(&self) -> String {
        let mut word = String::new();
        while let Some(c) = self.peek_at(word.chars().count()).filter(|c| c.is_ascii_alphabetic() && word.len() < 16) {
            word.push(c);
        }
        // `if-x` and `for.exe` are commands.
        let behind = self.peek_at(word.len());
        let is_word = behind.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '{' | ';' | '}' | ')'));
        if is_word { word.to_lowercase() } else { String::new() }
    }

    /// Checks for `foreach (`.
    fn is_loop(&self) -> bool {
        let mut at = "foreach".len();
        while self.peek_at(at).is_some_and(char::is_whitespace) {
            at += 1;
        }
        self.peek_at(at) == Some('(')
    }

    /// Checks whether `[…]` comes before a variable.
    fn is_cast(&self) -> bool {
        let mut at = 0;
        while self.peek_at(at).is_some_and(|c| c != ']' && c != '\n') {
            at += 1;
        }
        at += 1;
        while matches!(self.peek_at(at), Some(' ' | ']')) {
            at += 1;
        }
        matches!(self.peek_at(at), Some('$' | '['))
    }

    /// Translates what follows a keyword: its condition, and its block.
    fn control(&mut self, word: &str) -> String {
        self.skip_blanks(false);
        if matches!(word, "function" | "filter" | "class" | "enum") {
            self.argument();
            self.skip_blanks(true);
        }
        let mut script = String::new();
        if self.peek() == Some('(') {
            let condition = self.group();
            if word != "param" {
                script.push_str(&outputs(&[condition]));
                script.push('\n');
            }
        }
        // `catch [Type] {`
        self.skip_blanks(false);
        while word == "catch" && self.peek() == Some('[') {
            self.skip_brackets();
            self.skip_blanks(false);
        }
        if matches!(word, "return" | "throw" | "exit") {
            let value = self.pipeline();
            script.push_str(&value);
            return script;
        }
        self.skip_blanks(true);
        if self.peek() == Some('{') {
            script.push_str(&branch(&self.block()));
        }
        script
    }

    /// Translates `foreach ($x in …) {…}`.
    fn for_each(&mut self) -> String {
        self.skip("foreach".len());
        self.skip_blanks(true);
        self.skip(1);
        self.skip_blanks(true);
        let name = match self.argument().pieces.first() {
            Some(Piece::Variable(name)) => variable_name(name),
            _ => variable_name("_unnamed"),
        };
        self.skip_blanks(true);
        if self.keyword() == "in" {
            self.skip(2);
        }
        let mut values = Vec::new();
        while self.peek().is_some_and(|c| c != ')') {
            self.skip_blanks(true);
            let start = self.position();
            match self.peek() {
                Some(')') | None => break,
                Some(',') => self.skip(1),
                _ => {
                    let begins =
                        self.peek().is_some_and(|c| matches!(c, '\'' | '"' | '$' | '@' | '(') || c.is_ascii_digit());
                    if begins {
                        values.push(self.argument())
                    } else {
                        values.push(Value::new(Piece::Output(self.pipeline())));
                    }
                }
            }
            if self.position() == start {
                self.skip(1);
            }
        }
        self.skip(1);
        self.skip_blanks(true);
        let body = if self.peek() == Some('{') { self.block() } else { String::new() };
        let words: Vec<String> = values.iter().map(Value::likely_path).collect();
        format!("for {name} in {}; do :\n{name}=(\"${name}\")\n{body}\ndone", words.join(" "))
    }

    /// Translates `$name = …`; `None`, and nothing is read, if this is no assignment.
    fn assignment(&mut self) -> Option<String> {
        let start = self.position();
        let doubts = self.doubts.len();
        let target = self.argument();
        self.skip_blanks(false);
        let operators = ["+=", "??=", "-=", "="];
        let operator = operators.iter().find(|operator| self.starts_with(operator));
        let (Some(operator), [Piece::Variable(name)]) = (operator, &target.pieces[..]) else {
            self.rewind(start);
            self.doubts.truncate(doubts);
            return None;
        };
        let name = name.clone();
        self.skip(operator.chars().count());
        self.skip_blanks(true);
        let is_expression = self.peek().is_some_and(is_expression_start);
        let values = if is_expression { self.expression() } else { Vec::new() };
        let at_end = |c: char| matches!(c, ';' | '\n' | '}' | ')' | '#');
        self.skip_blanks(false);
        let is_whole = is_expression && self.peek().is_none_or(at_end);
        let mut script = String::new();
        let values = if is_whole {
            values
        } else {
            // The rest of a pipeline, or commands.
            let from = if is_expression { format!("{} | ", printed(&values)) } else { String::new() };
            if self.peek() == Some('|') {
                self.skip(1);
            }
            let commands = self.pipeline();
            if commands.trim().is_empty() {
                Vec::new()
            } else {
                vec![Value::new(Piece::Output(format!("{from}{commands}")))]
            }
        };
        self.texts.remove(&name);
        if let [value] = &values[..]
            && let Some(text) = value.literal()
        {
            self.texts.insert(name.clone(), text);
        }
        let words: Vec<String> = values.iter().map(Value::likely_path).collect();
        match name.strip_prefix("env:") {
            Some(name) => script.push_str(&format!("export {}={}", plain(name).to_uppercase(), words.join(""))),
            None if words.len() == 1 => script.push_str(&format!("{}={}", variable_name(&name), words.join(""))),
            None => script.push_str(&format!("{}=({})", variable_name(&name), words.join(" "))),
        }
        Some(script)
    }

    /// Reads the values of an expression up to the end of the statement or a pipe. An operator makes them unknown.
    fn expression(&mut self) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::new();
        let mut is_computed = false;
        loop {
            self.skip_blanks(false);
            match self.peek() {
                None | Some(';' | '\n' | '|' | ')' | '}' | '&' | '>') => break,
                Some(',') => {
                    self.skip(1);
                    self.skip_blanks(true);
                }
                Some('@') if self.peek_at(1) == Some('{') => {
                    self.skip(1);
                    self.block();
                    values.push(Value::unknown());
                }
                Some('{') => {
                    let commands = self.block();
                    values.push(Value::new(Piece::Output(commands)));
                }
                Some('[') => {
                    let kind = self.skip_brackets();
                    let mut value = Value::text(kind);
                    if self.starts_with("::") {
                        self.members(&mut value);
                        values.push(value);
                    }
                }
                Some(c) if is_expression_start(c) => {
                    let start = self.position();
                    let value = self.argument();
                    if self.position() == start {
                        self.skip(1);
                    }
                    values.push(value);
                }
                Some(c) => {
                    is_computed = true;
                    if ends_word(c) || self.argument() == Value::default() {
                        self.skip(1);
                    }
                }
            }
        }
        if !is_computed {
            return values;
        }
        let run = values.into_iter().flat_map(|value| value.pieces).filter(|piece| matches!(piece, Piece::Output(_)));
        vec![Value { pieces: run.chain([Piece::Unknown]).collect() }]
    }

    /// Translates commands that are connected by pipes.
    fn pipeline(&mut self) -> String {
        let mut script = String::new();
        let mut input = Input::None;
        loop {
            self.skip_blanks(false);
            let (command, output) = self.element(&input);
            if !command.trim().is_empty() {
                if matches!(input, Input::Output) && !script.is_empty() {
                    script.push_str(" | ");
                } else if !script.is_empty() {
                    script.push('\n');
                }
                script.push_str(&command);
            }
            input = output;
            self.skip_blanks(false);
            if self.peek() != Some('|') || self.peek_at(1) == Some('|') {
                if self.starts_with("||") || self.starts_with("&&") {
                    self.skip(2);
                }
                return script;
            }
            self.skip(1);
            self.skip_blanks(true);
        }
    }

    /// Translates an expression or a command. Returns it with what it passes on.
    fn element(&mut self, input: &Input) -> (String, Input) {
        let is_called = match self.peek() {
            Some('&') if self.peek_at(1) != Some('&') => {
                self.skip(1);
                self.skip_blanks(false);
                true
            }
            Some('.') if self.peek_at(1).is_some_and(char::is_whitespace) => {
                self.skip(1);
                self.skip_blanks(false);
                true
            }
            _ => false,
        };
        if is_called && self.peek() == Some('{') {
            return (branch(&self.block()), Input::Output);
        }
        if !is_called && self.peek().is_some_and(|c| is_expression_start(c) || c == '[') {
            return self.values(input);
        }
        self.command(input)
    }

    fn values(&mut self, input: &Input) -> (String, Input) {
        let mut values = self.expression();
        let mut script = outputs(&values);
        if self.peek() == Some('>') {
            while self.peek() == Some('>') {
                self.skip(1);
            }
            self.skip_blanks(false);
            let file = self.argument();
            script = format!("{} > {}", printed(&values), file.path());
        }
        if values.is_empty() && !matches!(input, Input::None) {
            values.push(Value::unknown());
        }
        // What runs in the values passes on its output.
        let passes_output =
            values.iter().any(|value| value.pieces.iter().any(|piece| matches!(piece, Piece::Output(_))));
        let is_piped = self.peek() == Some('|') && self.peek_at(1) != Some('|');
        if passes_output && is_piped {
            return (printed(&values), Input::Output);
        }
        (script, Input::Values(values))
    }

    fn command(&mut self, input: &Input) -> (String, Input) {
        let mut call = Call { name: self.argument(), arguments: self.arguments() };
        if call.name == Value::default() {
            return (String::new(), Input::None);
        }
        let name = cmdlets::command_name(&call.name).unwrap_or_default();
        if let Some(other) = self.aliases.get(&name) {
            call.name = Value::text(other.clone());
        }
        if matches!(name.as_str(), "set-alias" | "new-alias" | "sal" | "nal") {
            self.define_alias(&call.arguments);
        }
        self.use_texts(&name, &mut call.arguments);
        let rendered = match cmdlets::render(&call, input) {
            Rendered::Command(command) => command,
            Rendered::Text(text) => branch(&self.nested(&text)),
            Rendered::Unknown(message) => {
                self.doubt(message);
                String::new()
            }
        };
        let output = if cmdlets::is_echo(&name) { Input::Values(values_of(&call.arguments)) } else { Input::Output };
        let is_piped = self.peek() == Some('|') && self.peek_at(1) != Some('|');
        let passes_values =
            matches!(&output, Input::Values(values) if values.iter().all(|value| value.literal().is_some()));
        if passes_values && is_piped { (String::new(), output) } else { (rendered, Input::Output) }
    }

    fn define_alias(&mut self, arguments: &[Argument]) {
        let names: Vec<String> = values_of(arguments).iter().filter_map(Value::literal).collect();
        if let [alias, command, ..] = &names[..] {
            self.aliases.insert(alias.to_lowercase(), command.clone());
        }
    }

    /// Replaces the variable that is evaluated by its text.
    fn use_texts(&self, name: &str, arguments: &mut [Argument]) {
        if !matches!(name, "iex" | "invoke-expression" | "start-process" | "saps" | "pwsh" | "powershell") {
            return;
        }
        for argument in arguments {
            let (Argument::Value { value, .. } | Argument::Parameter { value: Some(value), .. }) = argument else {
                continue;
            };
            if let [Piece::Variable(name)] = &value.pieces[..]
                && let Some(text) = self.texts.get(name)
            {
                *value = Value::text(text.clone());
            }
        }
    }

    fn arguments(&mut self) -> Vec<Argument> {
        let mut found: Vec<Argument> = Vec::new();
        let mut is_joined = false;
        loop {
            let before = self.position();
            self.skip_blanks(false);
            let is_apart = self.position() > before;
            match self.peek() {
                None | Some(';' | '\n' | '|' | ')' | '}') => return found,
                Some('&') if self.peek_at(1) == Some('&') => return found,
                Some('&') => self.skip(1),
                Some(',') => {
                    self.skip(1);
                    self.skip_blanks(true);
                    is_joined = true;
                    continue;
                }
                Some('>') => self.redirect(&mut found, is_apart),
                Some('<') => self.skip(1),
                Some('{') => found.push(Argument::Block(self.block())),
                Some('@') if self.peek_at(1) == Some('{') => {
                    self.skip(1);
                    self.block();
                    found.push(Argument::Value { value: Value::unknown(), is_joined });
                }
                Some('[') if self.is_static() => {
                    let mut value = Value::text(self.skip_brackets());
                    self.members(&mut value);
                    found.push(Argument::Value { value, is_joined });
                }
                Some(_) => {
                    let start = self.position();
                    let value = self.argument();
                    if self.position() == start {
                        self.skip(1);
                    }
                    found.push(argument(value, is_joined));
                }
            }
            is_joined = false;
        }
    }

    /// Checks for `[Type]::`.
    fn is_static(&self) -> bool {
        let mut at = 0;
        while self.peek_at(at).is_some_and(|c| c != ']' && !c.is_whitespace()) {
            at += 1;
        }
        self.peek_at(at + 1) == Some(':') && self.peek_at(at + 2) == Some(':')
    }

    /// Reads `> file`, `2>&1` and `*> file`.
    fn redirect(&mut self, found: &mut Vec<Argument>, is_apart: bool) {
        let is_stream = |argument: &Argument| matches!(argument, Argument::Value { value, .. } if value.bare().is_some_and(|text| matches!(text, "1" | "2" | "3" | "4" | "5" | "6" | "*")));
        if !is_apart && found.last().is_some_and(is_stream) {
            found.pop();
        }
        while self.peek() == Some('>') {
            self.skip(1);
        }
        if self.peek() == Some('&') {
            self.skip(2);
            return;
        }
        self.skip_blanks(false);
        let file = self.argument();
        if file != Value::new(Piece::Variable("null".to_owned())) && file != Value::default() {
            found.push(Argument::Redirect(file));
        }
    }
}

/// Reads `-Name` and `-Name:value`.
fn argument(value: Value, is_joined: bool) -> Argument {
    let Some(Piece::Bare(text)) = value.pieces.first() else { return Argument::Value { value, is_joined } };
    let named = text
        .strip_prefix(['-', '\u{2013}', '\u{2014}'])
        .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    let Some(name) = named.filter(|_| !is_joined) else { return Argument::Value { value, is_joined } };
    let rest = &value.pieces[1..];
    match name.split_once(':') {
        Some((name, glued)) => {
            let glued = (!glued.is_empty()).then(|| Piece::Bare(glued.to_owned()));
            let pieces: Vec<Piece> = glued.into_iter().chain(rest.iter().cloned()).collect();
            let value = (!pieces.is_empty()).then_some(Value { pieces });
            Argument::Parameter { name: name.to_owned(), value }
        }
        None if rest.is_empty() => Argument::Parameter { name: name.to_owned(), value: None },
        None => Argument::Value { value, is_joined },
    }
}

fn values_of(arguments: &[Argument]) -> Vec<Value> {
    let value = |argument: &Argument| match argument {
        Argument::Value { value, .. } => Some(value.clone()),
        _ => None,
    };
    arguments.iter().filter_map(value).collect()
}

/// Returns the commands that run while values are computed.
fn outputs(values: &[Value]) -> String {
    let pieces = values.iter().flat_map(|value| &value.pieces);
    let commands: Vec<&str> = pieces
        .filter_map(|piece| match piece {
            Piece::Output(commands) => Some(commands.as_str()),
            _ => None,
        })
        .collect();
    commands.join("\n")
}

/// Returns commands that may run.
fn branch(commands: &str) -> String {
    if commands.trim().is_empty() { String::new() } else { format!("if :; then\n{commands}\nfi") }
}

fn is_expression_start(c: char) -> bool {
    matches!(c, '\'' | '"' | '$' | '(' | '@' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}') || c.is_ascii_digit()
}
