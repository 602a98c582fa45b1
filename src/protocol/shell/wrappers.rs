//! Commands that run another command: `sudo`, `env`, `xargs`, `sh -c`, `find -exec` and the like.

use super::word::Word;
use super::{Input, Simple};

/// What a command runs.
pub(super) enum Inner {
    /// A program with its arguments.
    Words(Vec<Word>),
    /// A text, in a shell of its own.
    Script(Word),
    /// A text, in the same shell.
    Here(Word),
    /// Something that cannot be seen, and why.
    Unseen(&'static str),
}

/// What a command runs, and whether it does nothing but that.
#[derive(Default)]
pub(super) struct Run {
    pub inner: Vec<Inner>,
    pub is_clear: bool,
}

impl Run {
    fn clear(inner: Vec<Inner>) -> Self {
        Self { is_clear: !inner.is_empty(), inner }
    }

    fn also(inner: Vec<Inner>) -> Self {
        Self { inner, is_clear: false }
    }
}

/// Shells that read POSIX, or what is near enough.
pub(in crate::protocol) const SHELLS: [&str; 9] = ["sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "fish"];

/// What a command runs; `earlier` are those before it and itself.
pub(super) fn inner(simple: &Simple, earlier: &[Simple]) -> Run {
    let Some(program) = simple.program() else { return Run::default() };
    let rest = &simple.words[1..];
    let text = |at: usize| rest.get(at).map_or("", |word| word.text.as_str());
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == program) {
        return wrapped(wrapper, rest);
    }
    match program {
        program if SHELLS.contains(&program) => shell(simple, earlier),
        "eval" => Run::clear(joined(rest).map(Inner::Here).into_iter().collect()),
        "trap" => {
            Run::also(rest.first().filter(|word| word.text != "-").cloned().map(Inner::Here).into_iter().collect())
        }
        "alias" => Run::also(rest.iter().filter_map(aliased).collect()),
        "source" | "." if matches!(text(0), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => {
            Run::clear(typed(&simple.input, earlier).into_iter().collect())
        }
        "xargs" => xargs(simple, earlier),
        "find" | "fd" | "fdfind" => Run::also(find(rest)),
        "su" | "script" | "runuser" => {
            Run::also(behind(rest, &["-c", "--command"]).map(Inner::Script).into_iter().collect())
        }
        "watch" => {
            Run::also(joined(behind_options(rest, &["-n", "--interval"])).map(Inner::Script).into_iter().collect())
        }
        "ssh" => Run::also(remote(rest)),
        "git" => Run::also(git(rest)),
        "npx" | "bunx" | "pnpx" | "uvx" => {
            Run::also(vec![Inner::Words(behind_options(rest, &["-p", "--package"]).to_vec())])
        }
        program if RUNNERS.iter().any(|[first, second]| *first == program && *second == text(0)) => {
            Run::also(vec![Inner::Words(behind_options(&rest[1..], &["--with", "--python", "-p"]).to_vec())])
        }
        _ => Run::default(),
    }
}

fn wrapped(wrapper: &Wrapper, rest: &[Word]) -> Run {
    // Looks a command up and does not run it.
    let asks = wrapper.name == "command" && rest.first().is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V"));
    if asks {
        return Run::default();
    }
    if let Some(text) = behind(rest, &["-S", "--split-string"]).filter(|_| wrapper.name == "env") {
        return Run::clear(vec![Inner::Script(text)]);
    }
    if let Some(text) = behind(rest, &["-c"]).filter(|_| wrapper.name == "flock") {
        return Run::clear(vec![Inner::Script(text)]);
    }
    let mut inner = behind_options(rest, wrapper.takes);
    inner = inner.get(wrapper.own..).unwrap_or_default();
    let assigns = |word: &&Word| word.text.split_once('=').is_some_and(|(name, _)| is_name(name));
    let set = inner.iter().take_while(assigns).count();
    let inner = &inner[set..];
    if inner.is_empty() {
        return Run::default();
    }
    Run { inner: vec![Inner::Words(inner.to_vec())], is_clear: wrapper.is_clear && set == 0 }
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(plain)
}

/// What stands behind the options.
fn behind_options<'w>(words: &'w [Word], takes: &[&str]) -> &'w [Word] {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
        at += 1;
        if word.text == "--" {
            break;
        }
        at += usize::from(takes.contains(&word.text.as_str()));
    }
    words.get(at..).unwrap_or_default()
}

/// The value of an option.
fn behind(words: &[Word], names: &[&str]) -> Option<Word> {
    words.iter().enumerate().find_map(|(at, word)| {
        let long = names.iter().filter(|name| name.starts_with("--"));
        let glued = long.filter_map(|name| word.text.strip_prefix(name)?.strip_prefix('=')).next();
        let next = || names.contains(&word.text.as_str()).then(|| words.get(at + 1).cloned()).flatten();
        glued.map(Word::new).or_else(next)
    })
}

fn joined(words: &[Word]) -> Option<Word> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    (!texts.is_empty()).then(|| Word::new(texts.join(" ")))
}

fn aliased(word: &Word) -> Option<Inner> {
    word.text.split_once('=').map(|(_, value)| Inner::Script(Word::new(value)))
}

fn shell(simple: &Simple, earlier: &[Simple]) -> Run {
    let rest = &simple.words[1..];
    let valued = |word: &Word| matches!(word.text.as_str(), "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file");
    let is_c = |word: &Word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('c');
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| word.text.starts_with(['-', '+'])) {
        if is_c(word) {
            let behind = &rest[at + 1..];
            // What has several words is no option, whatever it begins with.
            let is_text = |word: &&Word| word.text.contains(char::is_whitespace);
            let script = behind.first().filter(is_text).or(behind_options(behind, &["-o", "-O"]).first());
            return Run::clear(script.cloned().map(Inner::Script).into_iter().collect());
        }
        at += 1 + usize::from(valued(word));
    }
    let from_stdin =
        rest.get(at..).unwrap_or_default().is_empty() || rest.iter().any(|word| word.text == "-s" || word.text == "-");
    if !from_stdin {
        return Run::default();
    }
    Run::clear(typed(&simple.input, earlier).into_iter().collect())
}

/// What a shell reads from stdin as commands.
fn typed(input: &Input, earlier: &[Simple]) -> Option<Inner> {
    match input {
        Input::Inherited => None,
        Input::Text(text) => Some(Inner::Script(Word::new(text.clone()))),
        Input::Pipe(from) => match &from[..] {
            [one] => Some(earlier.get(*one).and_then(printed).map_or(Inner::Unseen(PIPED), Inner::Script)),
            _ => Some(Inner::Unseen(PIPED)),
        },
    }
}

const PIPED: &str = "it runs what comes through a pipe";

/// What a command prints, where that can be known.
pub(super) fn printed(simple: &Simple) -> Option<Word> {
    let rest = simple.words.get(1..)?;
    match simple.program()? {
        "echo" => joined(behind_options(rest, &[])),
        "ls" => joined(behind_options(rest, &[])),
        "printf" => joined(rest).map(|word| Word::new(word.text.replace("\\n", "\n"))),
        "cat" if rest.is_empty() => match &simple.input {
            Input::Text(text) => Some(Word::new(text.clone())),
            _ => None,
        },
        _ => None,
    }
}

fn xargs(simple: &Simple, earlier: &[Simple]) -> Run {
    let takes =
        ["-n", "-P", "-L", "-l", "-s", "-d", "-a", "-E", "-I", "--max-args", "--max-procs", "--delimiter", "--replace"];
    let mut words = behind_options(&simple.words[1..], &takes).to_vec();
    if words.is_empty() {
        return Run::default();
    }
    let from = match &simple.input {
        Input::Pipe(from) => from.last().and_then(|at| earlier.get(*at)),
        _ => None,
    };
    let names = from.and_then(|from| match from.program()? {
        "find" => Some(found(&from.words[1..])),
        _ => printed(from).map(|word| word.text.split_whitespace().map(Word::new).collect()),
    });
    match (names, &simple.input) {
        (Some(names), _) => words.extend(names),
        (None, Input::Inherited) => {}
        (None, _) => words.push(Word::unknown()),
    }
    Run::clear(vec![Inner::Words(words)])
}

/// The names that `find` may give to what it runs: its patterns, else its folders with anything in them.
fn found(rest: &[Word]) -> Vec<Word> {
    let starts: Vec<&Word> = rest.iter().take_while(|word| !word.text.starts_with(['-', '(', '!'])).collect();
    let tests = ["-name", "-iname", "-path", "-wholename", "-ipath"];
    let named = rest.windows(2).filter(|two| tests.contains(&two[0].text.as_str())).map(|two| two[1].text.clone());
    let mut names: Vec<Word> = named.map(|text| Word { is_glob: text.contains(['*', '?', '[']), text }).collect();
    if names.is_empty() {
        names.push(Word::unknown());
        names.extend(starts.into_iter().cloned());
    }
    names
}

fn find(rest: &[Word]) -> Vec<Inner> {
    let mut inner = Vec::new();
    let runs =
        |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec");
    for at in rest.iter().enumerate().filter(|(_, word)| runs(word)).map(|(at, _)| at + 1) {
        let ends = |word: &&Word| !matches!(word.text.as_str(), ";" | "+");
        let words = rest[at..].iter().take_while(ends);
        let put = |word: &Word| if word.text == "{}" { found(rest) } else { vec![word.clone()] };
        inner.push(Inner::Words(words.flat_map(put).collect()));
    }
    inner
}

fn remote(rest: &[Word]) -> Vec<Inner> {
    let takes = [
        "-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-e", "-m", "-w", "-W", "-E", "-I", "-O",
        "-Q", "-S",
    ];
    let command = behind_options(rest, &takes).get(1..).unwrap_or_default();
    let local = rest.iter().filter_map(|word| word.text.split_once("Command="));
    let local = local.filter(|(name, _)| name.ends_with("Proxy") || name.ends_with("Local"));
    let local = local.map(|(_, command)| Word::new(command));
    joined(command).into_iter().chain(local).map(Inner::Script).collect()
}

fn git(rest: &[Word]) -> Vec<Inner> {
    let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    let after = |words: [&str; 2]| texts.windows(2).position(|two| two == words).map(|at| &rest[at + 2..]);
    let exec = behind(rest, &["-x", "--exec"]).filter(|_| texts.contains(&"rebase")).map(Inner::Script);
    let bisect = after(["bisect", "run"]).map(|words| Inner::Words(words.to_vec()));
    let each = after(["submodule", "foreach"]).and_then(|words| joined(behind_options(words, &[]))).map(Inner::Script);
    exec.into_iter().chain(bisect).chain(each).collect()
}

/// A program that runs what stands behind its own arguments.
pub(super) struct Wrapper {
    /// Its name.
    pub name: &'static str,
    /// Options that are followed by a value.
    pub takes: &'static [&'static str],
    /// Arguments of its own that are no options.
    pub own: usize,
    /// Whether it does nothing but that.
    pub is_clear: bool,
}

const fn clear(name: &'static str, takes: &'static [&'static str], own: usize) -> Wrapper {
    Wrapper { name, takes, own, is_clear: true }
}

const fn more(name: &'static str, takes: &'static [&'static str], own: usize) -> Wrapper {
    Wrapper { name, takes, own, is_clear: false }
}

pub(super) const WRAPPERS: &[Wrapper] = &[
    clear("env", &["-u", "--unset", "-C", "--chdir", "-P", "-a", "--argv0"], 0),
    clear("nohup", &[], 0),
    clear("timeout", &["-s", "--signal", "-k", "--kill-after"], 1),
    clear("gtimeout", &["-s", "--signal", "-k", "--kill-after"], 1),
    clear("nice", &["-n", "--adjustment"], 0),
    clear("ionice", &["-c", "--class", "-n", "--classdata"], 0),
    clear("setsid", &[], 0),
    clear("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    clear("unbuffer", &[], 0),
    clear("caffeinate", &["-t", "-w"], 0),
    clear("time", &["-f", "--format", "-o", "--output"], 0),
    clear("command", &[], 0),
    clear("builtin", &[], 0),
    clear("exec", &["-a"], 0),
    clear("coproc", &[], 0),
    clear("busybox", &[], 0),
    clear("toybox", &[], 0),
    clear("taskset", &[], 1),
    clear("chrt", &[], 1),
    clear("flock", &["-w", "--timeout", "-E"], 1),
    clear("strace", &["-o", "-e", "-s", "-p", "-P", "-u"], 0),
    clear("ltrace", &["-o", "-e", "-s", "-u"], 0),
    more(
        "sudo",
        &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir", "--prompt"],
        0,
    ),
    more("doas", &["-u", "-C"], 0),
    more("pkexec", &["--user"], 0),
    more("chroot", &[], 1),
    more("unshare", &[], 0),
    more("fakeroot", &[], 0),
    more("parallel", &["-j", "--jobs", "-a", "--arg-file", "-S", "--sshlogin"], 0),
    more("entr", &[], 0),
    more("watchexec", &["-w", "-e", "-i"], 0),
];

/// Two words that run what follows.
pub(super) const RUNNERS: [[&str; 2]; 10] = [
    ["uv", "run"],
    ["poetry", "run"],
    ["pipenv", "run"],
    ["pdm", "run"],
    ["hatch", "run"],
    ["bundle", "exec"],
    ["npm", "exec"],
    ["pnpm", "exec"],
    ["rye", "run"],
    ["mise", "exec"],
];
