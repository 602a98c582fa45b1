//! Whether a script gets past a prompt without an answer: because a condition around it, or an earlier exit, depends on an
//! option, an argument, or the terminal.
//!
//! Blocks are recognised by their indentation, which works for every language of scripts well enough.

/// Words of a condition about options, or about somebody who can answer.
const GUARD_WORDS: [&str; 13] = [
    "yes",
    "force",
    "interactive",
    "noninteractive",
    "auto",
    "assume",
    "batch",
    "ci",
    "skip",
    "quiet",
    "isatty",
    "istty",
    "tty",
];
/// Words of a condition about arguments in general, which chooses between a prompt and something else. An exit because of them
/// is a usage error.
const ARGUMENT_WORDS: [&str; 5] = ["args", "opts", "options", "argv", "flags"];
/// Parts of a condition that tests for a person.
const GUARD_PARTS: [&str; 5] = ["-t 0", "IsInputRedirected", "UserInteractive", "NonInteractive", "noinput"];
/// Parts of a condition that tests the number of arguments, or whether a value is missing.
const ARGUMENT_PARTS: [&str; 5] = ["$#", "-z ", "-n \"$", " is None", "-not $"];
/// How deep callers are followed.
const MAX_DEPTH: usize = 3;

/// Whether the prompt at this offset of a script has such a way around it.
pub(super) fn is_guarded(text: &str, offset: usize) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let at = text[..offset].matches('\n').count();
    let column = offset - text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    is_way_around(&lines, at, column, MAX_DEPTH)
}

fn is_way_around(lines: &[&str], at: usize, column: usize, depth: usize) -> bool {
    let Some(line) = lines.get(at) else { return false };
    if is_guard(lines, line.get(..column).unwrap_or_default()) {
        return true;
    }
    let function = match enclosing_block(lines, at) {
        Block::Guarded => return true,
        Block::Function(function) => Some(function),
        Block::Script => None,
    };
    if exits_before(lines, function.unwrap_or(0), at) {
        return true;
    }
    let Some((function, name)) = function.and_then(|at| function_name(lines[at]).map(|name| (at, name))) else {
        return false;
    };
    let calls = calls(lines, function, name);
    depth > 0 && !calls.is_empty() && calls.iter().all(|(at, column)| is_way_around(lines, *at, *column, depth - 1))
}

enum Block {
    /// A condition around it is a guard.
    Guarded,
    /// The line that defines the function with it.
    Function(usize),
    Script,
}

fn enclosing_block(lines: &[&str], at: usize) -> Block {
    let mut depth = indent(lines[at]);
    for above in (0..at).rev() {
        let line = lines[above];
        if line.trim().is_empty() || indent(line) >= depth {
            continue;
        }
        depth = indent(line);
        if function_name(line).is_some() {
            return Block::Function(above);
        }
        let code = line.trim_start().trim_start_matches(['}', ' ']);
        let is_else = code.starts_with("else") && !code.contains("if ");
        let condition = if is_else { matching_if(lines, above) } else { Some(line) };
        if condition.is_some_and(|line| is_guard(lines, line))
            || code.starts_with("try") && handles_no_input(lines, above)
        {
            return Block::Guarded;
        }
    }
    Block::Script
}

/// The condition that an `else` belongs to.
fn matching_if<'a>(lines: &[&'a str], at: usize) -> Option<&'a str> {
    let depth = indent(lines[at]);
    lines[..at]
        .iter()
        .rev()
        .filter(|line| indent(line) == depth)
        .find(|line| line.trim_start().starts_with("if"))
        .copied()
}

/// Whether a `try` handles the end of the input.
fn handles_no_input(lines: &[&str], at: usize) -> bool {
    let depth = indent(lines[at]);
    let handlers = lines[at + 1..].iter().filter(|line| indent(line) == depth && !line.trim().is_empty());
    handlers.take_while(|line| line.trim_start().starts_with(['e', '}', 'f'])).any(|line| {
        let line = line.trim();
        line.contains("EOFError") || line.starts_with("except Exception") || line == "except:" || line.contains("catch")
    })
}

/// Whether a guard between a line and the prompt leaves the script or the function.
fn exits_before(lines: &[&str], from: usize, at: usize) -> bool {
    let depth = indent(lines[at]);
    (from..at).any(|guard| {
        let line = lines[guard];
        let own = indent(line);
        let block = lines[guard + 1..at].iter().take_while(|line| line.trim().is_empty() || indent(line) > own);
        if own > depth {
            return false;
        }
        match asks_for_person(line) {
            true => leaves(line) || block.into_iter().any(|line| leaves(line)),
            // What the arguments asked for is done.
            false => is_guard(lines, line) && block.into_iter().any(|line| succeeds(line)),
        }
    })
}

/// Matches `sys.exit(0)` and `exit 0`.
fn succeeds(line: &str) -> bool {
    ["exit(0)", "exit 0", "Exit(0)"].iter().any(|exit| line.contains(exit))
}

fn leaves(line: &str) -> bool {
    words(line).any(|word| matches!(word, "return" | "exit" | "throw" | "raise" | "die"))
}

/// Whether a line has a condition that depends on an option, an argument, a missing value or the terminal.
fn is_guard(lines: &[&str], line: &str) -> bool {
    let code = line.trim_start();
    let has_argument = || {
        words(&code.to_lowercase()).any(|word| ARGUMENT_WORDS.contains(&word))
            || ARGUMENT_PARTS.iter().any(|part| code.contains(part))
            || is_missing_value(code)
            || is_missing_option(lines, code)
    };
    asks_for_person(line) || is_condition(code) && has_argument()
}

/// Whether a line has a condition that depends on whether somebody can answer.
fn asks_for_person(line: &str) -> bool {
    let code = line.trim_start();
    is_condition(code)
        && (words(&code.to_lowercase()).any(|word| GUARD_WORDS.contains(&word))
            || GUARD_PARTS.iter().any(|part| code.contains(part)))
}

fn is_condition(code: &str) -> bool {
    if code.starts_with(['#', '/', '*']) {
        return false;
    }
    let mut all = words(code);
    code.contains(['[', '?'])
        || ["&&", "||"].iter().any(|operator| code.contains(operator))
        || all.any(|word| matches!(word, "if" | "elif" | "elseif" | "unless" | "while" | "case" | "or" | "and"))
}

/// Matches `if not name:` and `if (!name) {`: a prompt is what remains if no argument gave the value.
fn is_missing_value(code: &str) -> bool {
    let name = ["if not ", "if (!", "elif not "].iter().find_map(|start| code.strip_prefix(start));
    let name = name.map(|rest| rest.trim_end_matches(['{', ' ']).trim_end_matches([':', ')']));
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')))
}

/// Matches `if is_slow and not cloud:` in a script with an option `--cloud`.
fn is_missing_option(lines: &[&str], code: &str) -> bool {
    let negated = [" and not ", " && !"].iter().flat_map(|sign| code.split(sign).skip(1));
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let mut names =
        negated.filter_map(|rest| rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())].rsplit('.').next());
    names.any(|name| {
        let option = format!("\"--{}", name.replace('_', "-"));
        name.len() > 2 && lines.iter().any(|line| line.contains(&option) || line.contains(&option.replace('"', "'")))
    })
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The name of the function that a line defines: `def ask():`, `function ask {`, `ask() {`.
fn function_name(line: &str) -> Option<&str> {
    let code = line.trim_start().trim_start_matches("export ").trim_start_matches("async ");
    let keyword = ["def ", "function ", "Function "].iter().find_map(|word| code.strip_prefix(word));
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let rest = keyword.unwrap_or(code);
    let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
    let is_shell = || rest[name.len()..].trim_start().starts_with("()") && rest.trim_end().ends_with('{');
    (!name.is_empty() && (keyword.is_some() || is_shell())).then_some(name)
}

/// The lines and columns that call a function.
fn calls(lines: &[&str], definition: usize, name: &str) -> Vec<(usize, usize)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(at, _)| *at != definition) {
        if line.trim_start().starts_with('#') {
            continue;
        }
        let whole =
            |column: &usize| !line[..*column].ends_with(is_part) && !line[column + name.len()..].starts_with(is_part);
        found.extend(line.match_indices(name).map(|(column, _)| column).filter(whole).map(|column| (at, column)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::is_guarded;

    fn guarded(text: &str) -> bool {
        is_guarded(text, text.find("ASK").unwrap_or_default())
    }

    #[test]
    fn options_terminals_and_missing_values_are_ways_around() {
        for text in [
            "[ \"$1\" = --yes ] || ASK",
            "if [ -t 0 ]; then\n  ASK\nfi",
            "if [ -z \"$NAME\" ]; then\n  ASK\nfi",
            "if [ \"$FORCE\" = 1 ]; then\n  exit 0\nfi\nASK",
            "confirm() {\n  if $ASSUME_YES; then return 0; fi\n  ASK\n}\nconfirm",
            "def f(args):\n    if not args.key:\n        ASK",
            "def ask():\n    ASK\n\ndef main():\n    if args.interactive:\n        ask()\n",
            "try:\n    ASK\nexcept EOFError:\n    pass",
            "if args.key:\n    key = args.key\nelse:\n    ASK",
            "if (!name) {\n  ASK\n}",
            "if args.key is not None:\n    sort(args.key)\n    sys.exit(0)\nASK",
            "cli.option('--cloud')\nif is_slow and not cloud:\n    ASK",
        ] {
            assert!(guarded(text), "{text}");
        }
    }

    #[test]
    fn other_prompts_have_no_way_around() {
        for text in [
            "ASK\nif [ \"$answer\" = yes ]; then\n  rm x\nfi",
            "pip install --yes x\nASK",
            "# with --force\nASK",
            "if [ -f x ]; then\n  ASK\nfi",
            "def ask():\n    ASK\n\ndef main():\n    ask()\n    if args.interactive:\n        ask()\n",
            "try:\n    ASK\nexcept KeyboardInterrupt:\n    pass",
            "if args.force:\n    print('forced')\nASK",
            "while True:\n    ASK",
            "if [[ -z \"$1\" ]]; then\n  exit 1\nfi\nASK",
            "if len(sys.argv) < 2:\n    sys.exit(1)\nASK",
            "if args.key is not None:\n    print(args.key)\nASK",
            "if is_slow and not cloud:\n    ASK",
        ] {
            assert!(!guarded(text), "{text}");
        }
    }
}
