//! What cmdlets do, as shell commands.

use super::cmdlet_table::{Action, action_of};
use super::value::{LINE, Piece, UNKNOWN, Value, printed};
use crate::protocol::shape::quoted;

/// A command with its arguments.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub name: Value,
    pub arguments: Vec<Argument>,
}

#[derive(Debug)]
pub(super) enum Argument {
    /// A value; after a comma, it belongs to the value before it.
    Value { value: Value, is_joined: bool },
    /// `-Name` or `-Name:value`.
    Parameter { name: String, value: Option<Value> },
    /// The commands of a block.
    Block(String),
    /// A file that gets the output.
    Redirect(Value),
}

/// What comes through the pipe.
#[derive(Debug)]
pub(super) enum Input {
    None,
    Values(Vec<Value>),
    Output,
}

/// A command in the form of a shell.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rendered {
    Command(String),
    /// A PowerShell text that is run.
    Text(String),
    Unknown(&'static str),
}

/// Parameters without a value.
const SWITCHES: [&str; 24] = [
    "recurse",
    "force",
    "confirm",
    "whatif",
    "verbose",
    "append",
    "nonewline",
    "raw",
    "passthru",
    "usebasicparsing",
    "directory",
    "file",
    "hidden",
    "wait",
    "nonewwindow",
    "compress",
    "noclobber",
    "allmatches",
    "list",
    "quiet",
    "simplematch",
    "casesensitive",
    "noprofile",
    "f",
];
/// Parameters with a value whose names begin like those of a switch.
const VALUED: [&str; 8] =
    ["path", "literalpath", "filepath", "filter", "pattern", "credential", "command", "computername"];
/// Parameters with paths.
const PATHS: [&str; 5] = ["path", "literalpath", "lp", "pspath", "filepath"];
/// Paths of providers that are no files.
const NO_FILES: [&str; 4] = ["env:", "variable:", "function:", "alias:"];

/// The arguments of a cmdlet.
#[derive(Default)]
struct Arguments {
    positional: Vec<Value>,
    named: Vec<(String, Vec<Value>)>,
    switches: Vec<String>,
    blocks: Vec<String>,
}

impl Arguments {
    fn parse(arguments: &[Argument]) -> Self {
        let mut parsed = Self::default();
        let mut rest = arguments.iter().peekable();
        while let Some(argument) = rest.next() {
            match argument {
                Argument::Value { value, .. } => parsed.positional.push(value.clone()),
                Argument::Parameter { name, value: Some(value) } => {
                    let mut values = vec![value.clone()];
                    take_joined(&mut rest, &mut values);
                    parsed.named.push((name.to_lowercase(), values));
                }
                Argument::Parameter { name, value: None } => {
                    let name = name.to_lowercase();
                    let mut values = Vec::new();
                    if !is_switch(&name) {
                        if let Some(Argument::Value { value, .. }) =
                            rest.next_if(|next| matches!(next, Argument::Value { .. }))
                        {
                            values.push(value.clone());
                        }
                        take_joined(&mut rest, &mut values);
                    }
                    if values.is_empty() { parsed.switches.push(name) } else { parsed.named.push((name, values)) }
                }
                Argument::Block(commands) => parsed.blocks.push(commands.clone()),
                Argument::Redirect(_) => {}
            }
        }
        parsed
    }

    /// Returns the values of a parameter by its name, which may be abbreviated to `least` characters.
    fn values(&self, full: &str, least: usize) -> impl Iterator<Item = &Value> {
        let is_it = move |name: &str| name.len() >= least.min(full.len()) && full.starts_with(name);
        self.named.iter().filter(move |(name, _)| is_it(name)).flat_map(|(_, values)| values)
    }

    fn has(&self, switch: &str, least: usize) -> bool {
        let is_it = |name: &String| name.len() >= least && switch.starts_with(name.as_str());
        self.switches.iter().any(is_it) || self.named.iter().any(|(name, _)| is_it(name))
    }

    /// Returns the paths that are given by name.
    fn named_paths(&self) -> Vec<Value> {
        PATHS.iter().flat_map(|name| self.values(name, 2)).cloned().collect()
    }

    /// Returns all paths; without a name, all values are paths.
    fn paths(&self) -> Vec<Value> {
        let mut paths = self.named_paths();
        paths.extend(self.positional.iter().cloned());
        paths
    }

    /// Returns the path of a cmdlet that has one, and the other values.
    fn path_and_rest(&self) -> (Vec<Value>, &[Value]) {
        let named = self.named_paths();
        if !named.is_empty() {
            return (named, &self.positional);
        }
        let at = self.positional.len().min(1);
        (self.positional[..at].to_vec(), &self.positional[at..])
    }
}

type Rest<'a> = std::iter::Peekable<std::slice::Iter<'a, Argument>>;

fn take_joined(rest: &mut Rest<'_>, values: &mut Vec<Value>) {
    while let Some(Argument::Value { value, .. }) =
        rest.next_if(|next| matches!(next, Argument::Value { is_joined: true, .. }))
    {
        values.push(value.clone());
    }
}

fn is_switch(name: &str) -> bool {
    let begins = |names: &[&str]| names.iter().any(|full| full.starts_with(name));
    begins(&SWITCHES) && (name == "f" || name.len() < 2 && name == "r" || !begins(&VALUED))
}

fn words(values: &[Value]) -> String {
    values.iter().map(|value| format!(" {}", value.path())).collect()
}

/// Returns the name of a command in lower case, without its folder and `.exe`.
pub(super) fn command_name(name: &Value) -> Option<String> {
    let name = name.literal()?.to_lowercase();
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    Some(name.strip_suffix(".exe").unwrap_or(name).to_owned())
}

/// Checks whether a command only prints its arguments.
pub(super) fn is_echo(name: &str) -> bool {
    action_of(name) == Some(Action::Echo)
}

/// Renders a command.
pub(super) fn render(call: &Call, input: &Input) -> Rendered {
    let redirects: String = call
        .arguments
        .iter()
        .filter_map(|argument| match argument {
            Argument::Redirect(file) => Some(format!(" > {}", file.path())),
            _ => None,
        })
        .collect();
    let Some(name) = command_name(&call.name) else {
        return Rendered::Command(format!("{}{}{redirects}", call.name.word(), native_words(&call.arguments)));
    };
    let arguments = Arguments::parse(&call.arguments);
    let rendered = match action_of(&name) {
        Some(action) => cmdlet(action, &name, call, &arguments, input),
        None => native(&name, call, &arguments),
    };
    match rendered {
        Rendered::Command(command) => Rendered::Command(format!("{command}{redirects}")),
        rendered => rendered,
    }
}

fn cmdlet(action: Action, name: &str, call: &Call, arguments: &Arguments, input: &Input) -> Rendered {
    let has_input = !matches!(input, Input::None);
    let command = match action {
        Action::Remove => remove(arguments, input),
        Action::Read => format!("cat{}", words(&arguments.paths())),
        Action::Search => {
            let mut paths = arguments.named_paths();
            let has_pattern = arguments.values("pattern", 3).next().is_some();
            paths.extend(arguments.positional.iter().skip(usize::from(!has_pattern)).cloned());
            format!("grep x{}", words(&paths))
        }
        Action::Write => write(name, arguments, has_input),
        Action::Create => create(arguments),
        Action::Copy | Action::Move => transfer(action, arguments, input),
        Action::Fetch => fetch(arguments),
        Action::List => list(arguments),
        Action::Evaluate => return evaluate(arguments, input),
        Action::CallBlock => {
            let hosts: String =
                arguments.values("computername", 2).map(|host| format!("ssh {} true\n", host.word())).collect();
            group(&format!("{hosts}{}", arguments.blocks.join("\n")))
        }
        Action::Start => return start(arguments),
        Action::PowerShell => return powershell(arguments, &call.arguments, has_input),
        Action::Cmd => return cmd(&call.arguments),
        Action::ChangeFolder => {
            let (paths, _) = arguments.path_and_rest();
            format!("cd{}", words(&paths))
        }
        Action::Format => "wipefs /dev/disk".to_owned(),
        Action::Filter => match arguments.blocks.join("") {
            blocks if blocks.trim().is_empty() => "grep x".to_owned(),
            blocks => group(&format!("grep x\n{blocks}")),
        },
        Action::ForEach => {
            let block = arguments.blocks.join("\n");
            match input {
                Input::Values(values) => {
                    let words: Vec<String> = values.iter().map(Value::likely_path).collect();
                    format!("for {LINE} in {}; do :\n{block}\ndone\n{LINE}={UNKNOWN}", words.join(" "))
                }
                _ => format!("while read -r {LINE}; do :\n{block}\ndone"),
            }
        }
        Action::Echo => printed(&arguments.positional),
        Action::JoinPath => {
            let parts: Vec<String> = arguments.paths().iter().map(Value::path).collect();
            format!("echo {}", parts.join("/"))
        }
        Action::Test => "true".to_owned(),
        Action::Name => format!("echo{}", words(&arguments.paths())),
        Action::Folder => "pwd".to_owned(),
    };
    Rendered::Command(command)
}

fn group(commands: &str) -> String {
    format!("{{ :\n{commands}\n}}")
}

/// Renders a program, or a cmdlet that is not in the table.
fn native(name: &str, call: &Call, arguments: &Arguments) -> Rendered {
    let program = if name.contains('-') || call.name.literal().is_none() {
        quoted(name)
    } else {
        let path = call.name.path();
        path.strip_suffix(".exe'").map_or(path.clone(), |path| format!("{path}'"))
    };
    let command = format!("{program}{}", native_words(&call.arguments));
    if arguments.blocks.is_empty() {
        return Rendered::Command(command);
    }
    Rendered::Command(group(&format!("{command}\n{}", arguments.blocks.join("\n"))))
}

/// Returns the arguments of a program as they are, with paths in the form of a shell.
fn native_words(arguments: &[Argument]) -> String {
    let word = |value: &Value| {
        let is_path = value.bare().is_some_and(|text| text.contains('\\') && !text.contains("://"));
        if is_path { value.path() } else { value.word() }
    };
    let mut words = String::new();
    for argument in arguments {
        match argument {
            Argument::Value { value, .. } => words.push_str(&format!(" {}", word(value))),
            Argument::Parameter { name, value } => {
                words.push_str(&format!(" {}", quoted(&format!("-{name}"))));
                words.extend(value.as_ref().map(|value| format!(" {}", word(value))));
            }
            Argument::Block(_) | Argument::Redirect(_) => {}
        }
    }
    words
}

fn remove(arguments: &Arguments, input: &Input) -> String {
    if arguments.has("whatif", 2) {
        return "true".to_owned();
    }
    let is_flag = |value: &Value| {
        value.bare().is_some_and(|text| {
            text.len() == 2 && text.starts_with('/') && text.ends_with(|c: char| c.is_ascii_alphabetic())
        })
    };
    let has_flag = |flag: &str| {
        arguments.positional.iter().any(|value| value.bare().is_some_and(|text| text.eq_ignore_ascii_case(flag)))
    };
    // On other systems than Windows, `rm -rf` is the usual program.
    let cluster = |name: &String| name.contains('r') && name.chars().all(|c| matches!(c, 'r' | 'f' | 'i' | 'v' | 'd'));
    let is_recursive = arguments.has("recurse", 1)
        || has_flag("/s")
        || arguments.switches.iter().any(cluster)
        || arguments.named.iter().any(|(name, _)| cluster(name));
    let mut paths: Vec<Value> = arguments.paths().into_iter().filter(|value| !is_flag(value)).collect();
    paths.extend(arguments.named.iter().filter(|(name, _)| cluster(name)).flat_map(|(_, values)| values.clone()));
    if let (true, Input::Values(values)) = (paths.is_empty(), input) {
        paths.clone_from(values);
    }
    let is_file = |value: &Value| {
        let text = value.literal().unwrap_or_default().to_lowercase();
        !NO_FILES.iter().any(|provider| text.starts_with(provider))
    };
    paths.retain(is_file);
    let flags = if is_recursive { " -r" } else { "" };
    let filters: Vec<&Value> = arguments.values("include", 3).chain(arguments.values("filter", 3)).collect();
    match (paths.is_empty(), filters.first()) {
        (true, _) if matches!(input, Input::Output) => format!("xargs rm{flags}"),
        (true, _) => "true".to_owned(),
        (false, Some(filter)) => {
            format!("find{} -name {} -delete", words(&paths), quoted(&filter.literal().unwrap_or_default()))
        }
        (false, None) => format!("rm{flags}{}", words(&paths)),
    }
}

fn write(name: &str, arguments: &Arguments, has_input: bool) -> String {
    let (paths, rest) = arguments.path_and_rest();
    let tee = format!("tee{}", words(&paths));
    let values: Vec<Value> = rest.iter().chain(arguments.values("value", 1)).cloned().collect();
    if has_input || values.is_empty() || name.starts_with("clear") {
        tee
    } else {
        group(&format!("{} | {tee}", printed(&values)))
    }
}

fn create(arguments: &Arguments) -> String {
    let (mut paths, _) = arguments.path_and_rest();
    if let Some(name) = arguments.values("name", 1).next() {
        match paths.first_mut() {
            Some(path) => path.pieces.extend([Piece::Text("/".to_owned())].into_iter().chain(name.pieces.clone())),
            None => paths.push(name.clone()),
        }
    }
    let kind =
        arguments.values("itemtype", 2).chain(arguments.values("type", 1)).find_map(Value::literal).unwrap_or_default();
    let targets: Vec<Value> = arguments.values("target", 2).chain(arguments.values("value", 1)).cloned().collect();
    match kind.to_lowercase().as_str() {
        "directory" => format!("mkdir -p{}", words(&paths)),
        "symboliclink" | "hardlink" | "junction" if !targets.is_empty() => {
            format!("ln -s{}{}", words(&targets[..1]), words(&paths))
        }
        _ => format!("tee{}", words(&paths)),
    }
}

fn transfer(action: Action, arguments: &Arguments, input: &Input) -> String {
    let (program, options) = if action == Action::Copy { ("cp", " -r") } else { ("mv", "") };
    let to: Vec<Value> = arguments.values("destination", 1).chain(arguments.values("newname", 1)).cloned().collect();
    let mut paths = arguments.paths();
    if let Input::Values(values) = input {
        paths.splice(0..0, values.clone());
    }
    match (input, to.is_empty()) {
        (Input::Output, _) if paths.len() + to.len() < 2 => {
            paths.extend(to);
            format!("xargs {program}{options} -t{}", words(&paths))
        }
        _ => {
            paths.extend(to);
            format!("{program}{options}{}", words(&paths))
        }
    }
}

fn fetch(arguments: &Arguments) -> String {
    let mut command = "curl".to_owned();
    let uris: Vec<&Value> = arguments.values("uri", 1).chain(arguments.values("source", 1)).collect();
    let positional = arguments.positional.iter();
    let (uris, rest): (Vec<&Value>, Vec<&Value>) = match uris.is_empty() {
        true => (positional.clone().take(1).collect(), positional.skip(1).collect()),
        false => (uris, positional.collect()),
    };
    uris.iter().for_each(|uri| command.push_str(&format!(" {}", uri.word())));
    let files = arguments.values("outfile", 1).chain(arguments.values("destination", 2)).chain(rest);
    files.for_each(|file| command.push_str(&format!(" -o {}", file.path())));
    arguments.values("method", 2).for_each(|method| command.push_str(&format!(" -X {}", method.word())));
    arguments.values("proxy", 5).for_each(|proxy| command.push_str(&format!(" -x {}", proxy.word())));
    arguments.values("body", 1).for_each(|_| command.push_str(" -d x"));
    arguments.values("infile", 2).for_each(|file| command.push_str(&format!(" -T {}", file.path())));
    command
}

fn list(arguments: &Arguments) -> String {
    let (paths, rest) = arguments.path_and_rest();
    let filter = arguments.values("filter", 3).chain(arguments.values("include", 3)).chain(rest).next();
    // `ls -la` is the usual program on other systems.
    if !arguments.has("recurse", 1) && filter.is_none() {
        return format!("ls{}", words(&paths));
    }
    let name =
        filter.map(|filter| format!(" -name {}", quoted(&filter.literal().unwrap_or_default()))).unwrap_or_default();
    format!("find{}{name}", words(&paths))
}

fn evaluate(arguments: &Arguments, input: &Input) -> Rendered {
    let value = arguments.values("command", 1).next().or_else(|| arguments.positional.first());
    let value = value.or(match input {
        Input::Values(values) => values.first(),
        _ => None,
    });
    match value {
        Some(value) => match value.literal() {
            Some(text) => Rendered::Text(text),
            None => Rendered::Command(format!("eval {}", value.word())),
        },
        None if matches!(input, Input::None) => Rendered::Command("true".to_owned()),
        None => Rendered::Command("sh".to_owned()),
    }
}

fn start(arguments: &Arguments) -> Rendered {
    let (mut values, rest) = arguments.path_and_rest();
    values.extend(arguments.values("argumentlist", 1).chain(rest).cloned());
    let texts: Option<Vec<String>> = values.iter().map(Value::literal).collect();
    match texts {
        Some(texts) => Rendered::Text(texts.join(" ")),
        None => Rendered::Command(values.iter().map(Value::word).collect::<Vec<_>>().join(" ")),
    }
}

fn powershell(parsed: &Arguments, arguments: &[Argument], has_input: bool) -> Rendered {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Argument::Parameter { name, value } = argument else { continue };
        let name = name.to_lowercase();
        let is = |full: &str| full.starts_with(name.as_str());
        if is("command") {
            let blocks = parsed.blocks.join("\n");
            if !blocks.is_empty() {
                return Rendered::Command(group(&blocks));
            }
            return text_of(value.iter(), rest);
        }
        if is("encodedcommand") || name == "ec" || name == "enc" {
            return Rendered::Unknown("it runs an encoded command");
        }
        if is("file") {
            let file = value.as_ref().or_else(|| rest.find_map(value_of));
            return Rendered::Command(file.map_or_else(|| "sh".to_owned(), |file| format!("sh {}", file.path())));
        }
    }
    if !parsed.blocks.is_empty() {
        return Rendered::Command(group(&parsed.blocks.join("\n")));
    }
    match parsed.positional.first().map(Value::literal) {
        Some(Some(text)) if text.contains(char::is_whitespace) => Rendered::Text(text),
        Some(_) => Rendered::Command(format!("sh{}", words(&parsed.positional))),
        None => Rendered::Command(if has_input { "sh" } else { "true" }.to_owned()),
    }
}

fn value_of(argument: &Argument) -> Option<&Value> {
    match argument {
        Argument::Value { value, .. } => Some(value),
        _ => None,
    }
}

/// Joins the remaining arguments to one command line.
fn text_of<'a>(first: impl Iterator<Item = &'a Value>, rest: impl Iterator<Item = &'a Argument>) -> Rendered {
    let mut texts: Vec<Option<String>> = first.map(Value::literal).collect();
    texts.extend(rest.filter_map(|argument| match argument {
        Argument::Value { value, .. } => Some(value.literal()),
        Argument::Parameter { name, value: None } => Some(Some(format!("-{name}"))),
        Argument::Parameter { name, value: Some(value) } => {
            Some(value.literal().map(|value| format!("-{name}:{value}")))
        }
        Argument::Block(_) | Argument::Redirect(_) => None,
    }));
    match texts.into_iter().collect::<Option<Vec<String>>>() {
        Some(texts) => Rendered::Text(texts.join(" ")),
        None => Rendered::Unknown("it runs an unknown command"),
    }
}

/// Renders `cmd /c …`, whose commands are close enough to those of PowerShell.
fn cmd(arguments: &[Argument]) -> Rendered {
    let is_run = |argument: &Argument| {
        value_of(argument).and_then(Value::bare).is_some_and(|text| matches!(text.to_lowercase().as_str(), "/c" | "/k"))
    };
    let Some(at) = arguments.iter().position(is_run) else { return Rendered::Command("true".to_owned()) };
    match text_of(std::iter::empty(), arguments[at + 1..].iter()) {
        Rendered::Text(text) => Rendered::Text(with_variables(&text)),
        rendered => rendered,
    }
}

/// Replaces `%NAME%`.
fn with_variables(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        match after
            .split_once('%')
            .filter(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_'))
        {
            Some((name, behind)) => {
                out.push_str(&format!("${{env:{name}}}"));
                rest = behind;
            }
            None => {
                out.push('%');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}
