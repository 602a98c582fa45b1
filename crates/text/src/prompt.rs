//! The placeholders in the prompt of a command, in the syntax of Claude Code and of Gemini CLI.

use super::imports::mentions;
use std::fmt;
use std::ops::Range;

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptPiece<'t> {
    Text(&'t str),
    /// All arguments: `$ARGUMENTS`, `{{args}}`.
    Arguments,
    /// One argument, such as `$1`. Only Claude Code has these.
    Argument(&'t str),
    /// The output of a command, made of pieces of its own.
    Shell(Vec<PromptPiece<'t>>),
    /// The content of a file.
    File(&'t str),
}

/// A piece and its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedPiece<'t> {
    pub piece: PromptPiece<'t>,
    /// The line, from 1.
    pub line: usize,
}

/// A piece that Gemini CLI cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntranslatablePiece {
    pub line: usize,
    pub problem: PieceProblem,
}

/// Why Gemini CLI cannot express a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceProblem {
    /// It passes only all arguments together.
    Argument(String),
    /// The text would be active there, and there is no escape.
    Active(&'static str),
    /// The braces of a command or a path are not balanced.
    Braces(String),
}

impl fmt::Display for UntranslatablePiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.problem {
            PieceProblem::Argument(text) => write!(
                f,
                "Gemini CLI does not support `{text}`, only all arguments together; write `\\{text}` if it is text"
            ),
            PieceProblem::Active(text) => {
                write!(f, "`{text}` is text for Claude Code, but Gemini CLI would execute it and has no escape for it")
            }
            PieceProblem::Braces(text) => write!(f, "the braces of `{text}` are not balanced, as Gemini CLI requires"),
        }
    }
}

/// Texts that Gemini CLI replaces.
const GEMINI_MARKS: [&str; 3] = ["!{", "@{", "{{args}}"];

/// Splits a prompt of Claude Code. `line` is the line of its start.
pub fn parse_claude(text: &str, line: usize) -> Vec<PlacedPiece<'_>> {
    let is_path = |path: &str| path.contains(['/', '.']) && !path.contains(['$', '{']);
    let files: Vec<(Range<usize>, Range<usize>)> = mentions(text, 0)
        .into_iter()
        .filter(|mention| is_path(&mention.path))
        .map(|mention| (mention.span.range(), mention.span.offset + 1..mention.span.end()))
        .collect();
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < text.len() {
        let found = match files.iter().find(|(whole, _)| whole.start == at) {
            Some((whole, path)) => Some((PromptPiece::File(&text[path.clone()]), whole.len())),
            None => claude_piece(text, at),
        };
        match found {
            Some((piece, length)) => {
                push_text(&mut pieces, text, start..at, line);
                let placed = PlacedPiece { piece, line: line + text[..at].matches('\n').count() };
                pieces.push(placed);
                at += length;
                start = at;
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    push_text(&mut pieces, text, start..at, line);
    pieces
}

fn push_text<'t>(pieces: &mut Vec<PlacedPiece<'t>>, text: &'t str, range: Range<usize>, line: usize) {
    if !range.is_empty() {
        let line = line + text[..range.start].matches('\n').count();
        pieces.push(PlacedPiece { piece: PromptPiece::Text(&text[range]), line });
    }
}

/// The placeholder of Claude Code at `at`, and its length.
fn claude_piece(text: &str, at: usize) -> Option<(PromptPiece<'_>, usize)> {
    let rest = &text[at..];
    // `\$1` is the text `$1`: the backslash belongs to no piece.
    if rest.starts_with("\\$") && argument(&rest[1..]).is_some() {
        let length = argument(&rest[1..]).map_or(1, |(_, length)| length);
        return Some((PromptPiece::Text(&rest[1..=length]), length + 1));
    }
    if rest.starts_with('$') {
        return argument(rest);
    }
    let stands_free = text[..at].chars().next_back().is_none_or(char::is_whitespace);
    let command = rest.strip_prefix("!`").filter(|_| stands_free)?;
    let command = &command[..command.find(['`', '\n'])?];
    let closes = rest[2 + command.len()..].starts_with('`') && !command.is_empty();
    closes.then(|| (PromptPiece::Shell(arguments(command)), command.len() + 3))
}

/// `$ARGUMENTS`, `$ARGUMENTS[1]` or `$1` at the start of a text, and its length.
fn argument(rest: &str) -> Option<(PromptPiece<'_>, usize)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let name = rest.strip_prefix('$')?;
    if let Some(behind) = name.strip_prefix("ARGUMENTS") {
        let index = behind.strip_prefix('[').map_or(0, digits);
        if index > 0 && behind[1 + index..].starts_with(']') {
            let length = "$ARGUMENTS[]".len() + index;
            return Some((PromptPiece::Argument(&rest[..length]), length));
        }
        return Some((PromptPiece::Arguments, "$ARGUMENTS".len()));
    }
    let length = digits(name) + 1;
    (length > 1).then(|| (PromptPiece::Argument(&rest[..length]), length))
}

/// The arguments within a command.
fn arguments(command: &str) -> Vec<PromptPiece<'_>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, _) in command.match_indices('$') {
        if let Some((piece, length)) = argument(&command[at..]) {
            if start < at {
                pieces.push(PromptPiece::Text(&command[start..at]));
            }
            pieces.push(piece);
            start = at + length;
        }
    }
    if start < command.len() {
        pieces.push(PromptPiece::Text(&command[start..]));
    }
    pieces
}

/// Splits a prompt of Gemini CLI. A brace without its partner makes the rest plain text, as in Gemini CLI.
pub fn parse_gemini(text: &str) -> Vec<PromptPiece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let next = GEMINI_MARKS.iter().filter_map(|mark| Some((rest.find(mark)?, *mark))).min();
        let Some((at, mark)) = next else { break };
        let behind = &rest[at + mark.len()..];
        let (piece, length) = match (mark, balanced(behind)) {
            ("{{args}}", _) => (PromptPiece::Arguments, 0),
            (_, None) => break,
            ("!{", Some(length)) => (PromptPiece::Shell(gemini_arguments(&behind[..length])), length + 1),
            (_, Some(length)) => (PromptPiece::File(behind[..length].trim()), length + 1),
        };
        if at > 0 {
            pieces.push(PromptPiece::Text(&rest[..at]));
        }
        pieces.push(piece);
        rest = &behind[length..];
    }
    if !rest.is_empty() {
        pieces.push(PromptPiece::Text(rest));
    }
    pieces
}

fn gemini_arguments(command: &str) -> Vec<PromptPiece<'_>> {
    let mut pieces = Vec::new();
    for (index, text) in command.split("{{args}}").enumerate() {
        if index > 0 {
            pieces.push(PromptPiece::Arguments);
        }
        if !text.is_empty() {
            pieces.push(PromptPiece::Text(text));
        }
    }
    pieces
}

/// The length of a text up to the brace that closes it.
fn balanced(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Writes a prompt for Gemini CLI.
///
/// # Errors
/// The first piece that Gemini CLI cannot express.
pub fn write_gemini(pieces: &[PlacedPiece<'_>]) -> Result<String, UntranslatablePiece> {
    let mut text = String::new();
    for PlacedPiece { piece, line } in pieces {
        gemini_piece(piece, &mut text)
            .map_err(|(offset, problem)| UntranslatablePiece { line: line + offset, problem })?;
    }
    Ok(text)
}

/// The error has the number of line ends before the problem.
fn gemini_piece(piece: &PromptPiece<'_>, out: &mut String) -> Result<(), (usize, PieceProblem)> {
    match piece {
        PromptPiece::Text(text) => {
            if let Some((at, mark)) = GEMINI_MARKS.iter().filter_map(|mark| Some((text.find(mark)?, *mark))).min() {
                return Err((text[..at].matches('\n').count(), PieceProblem::Active(mark)));
            }
            out.push_str(text);
        }
        PromptPiece::Arguments => out.push_str("{{args}}"),
        PromptPiece::Argument(text) => return Err((0, PieceProblem::Argument((*text).to_owned()))),
        PromptPiece::Shell(pieces) => {
            let mut command = String::new();
            pieces.iter().try_for_each(|piece| gemini_piece(piece, &mut command))?;
            push_braced('!', &command, out)?;
        }
        PromptPiece::File(path) => push_braced('@', &path.replace("\\ ", " "), out)?,
    }
    Ok(())
}

fn push_braced(mark: char, inner: &str, out: &mut String) -> Result<(), (usize, PieceProblem)> {
    let whole = format!("{inner}}}");
    if balanced(&whole) != Some(inner.len()) {
        return Err((0, PieceProblem::Braces(inner.to_owned())));
    }
    out.push_str(&format!("{mark}{{{inner}}}"));
    Ok(())
}

/// Writes a prompt for a tool that neither runs commands nor replaces arguments: the agent does both by itself.
pub fn write_plain(pieces: &[PlacedPiece<'_>]) -> String {
    let mut text = String::new();
    for PlacedPiece { piece, .. } in pieces {
        match piece {
            PromptPiece::Shell(inner) => {
                text.push_str("(run `");
                inner.iter().for_each(|piece| plain_piece(piece, &mut text));
                text.push_str("` and use its output)");
            }
            piece => plain_piece(piece, &mut text),
        }
    }
    text
}

fn plain_piece(piece: &PromptPiece<'_>, out: &mut String) {
    match piece {
        PromptPiece::Text(text) | PromptPiece::Argument(text) => out.push_str(text),
        PromptPiece::Arguments => out.push_str("$ARGUMENTS"),
        PromptPiece::File(path) => out.push_str(&format!("@{path}")),
        PromptPiece::Shell(pieces) => pieces.iter().for_each(|piece| plain_piece(piece, out)),
    }
}

/// Writes a prompt for Claude Code; `Err` with a text that would be active there and has no escape.
///
/// # Errors
/// A command that contains a backtick, or a `` !` `` in the text.
pub fn write_claude(pieces: &[PromptPiece<'_>]) -> Result<String, String> {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            PromptPiece::Text(text) => out.push_str(&escaped(text)),
            PromptPiece::Arguments => out.push_str("$ARGUMENTS"),
            PromptPiece::Argument(text) => out.push_str(text),
            PromptPiece::File(path) => out.push_str(&format!("@{}", path.replace(' ', "\\ "))),
            PromptPiece::Shell(pieces) => {
                let mut command = String::new();
                for piece in pieces {
                    match piece {
                        PromptPiece::Text(text) => command.push_str(text),
                        piece => plain_piece(piece, &mut command),
                    }
                }
                if command.contains(['`', '\n'])
                    || arguments(&command).iter().any(|p| matches!(p, PromptPiece::Argument(_)))
                {
                    return Err(format!("!{{{command}}}"));
                }
                // Claude Code runs a command only after white space.
                let stands_free = out.chars().next_back().is_none_or(char::is_whitespace);
                out.push_str(&format!("{}!`{command}`", if stands_free { "" } else { " " }));
            }
        }
    }
    let shells = |pieces: &[PlacedPiece<'_>]| {
        pieces.iter().filter(|placed| matches!(placed.piece, PromptPiece::Shell(_))).count()
    };
    let wanted = pieces.iter().filter(|piece| matches!(piece, PromptPiece::Shell(_))).count();
    if shells(&parse_claude(&out, 1)) == wanted { Ok(out) } else { Err("!`".to_owned()) }
}

/// A text with a backslash before everything that Claude Code would replace by an argument.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut start = 0;
    for (at, _) in text.match_indices('$').filter(|(at, _)| argument(&text[*at..]).is_some()) {
        out.push_str(&text[start..at]);
        out.push('\\');
        start = at;
    }
    out + &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translates_claude_to_gemini() {
        for (claude, gemini) in [
            ("Tag $ARGUMENTS.", "Tag {{args}}."),
            ("It costs \\$5.", "It costs $5."),
            ("Branch: !`git branch --show-current`\n", "Branch: !{git branch --show-current}\n"),
            ("!`git log $ARGUMENTS`", "!{git log {{args}}}"),
            ("See @docs/a.md, and mail a@b.c or @anna", "See @{docs/a.md}, and mail a@b.c or @anna"),
            ("`@code.md` stays, $HOME too", "`@code.md` stays, $HOME too"),
        ] {
            assert_eq!(write_gemini(&parse_claude(claude, 1)).as_deref(), Ok(gemini), "{claude}");
        }
        for (claude, line, words) in [
            ("a\nIt costs $5.", 2, "`$5`"),
            ("\n$ARGUMENTS[2]", 2, "`$ARGUMENTS[2]`"),
            ("x\n\ny !{ls}", 3, "`!{`"),
            ("@{f}", 1, "`@{`"),
            ("{{args}}", 1, "`{{args}}`"),
            ("!`awk '{print'`", 1, "not balanced"),
        ] {
            let error = write_gemini(&parse_claude(claude, 1)).unwrap_err();
            assert!(error.line == line && error.to_string().contains(words), "{claude}: {error}");
        }
    }

    #[test]
    fn translates_gemini_to_claude() {
        for (gemini, claude) in [
            ("Plan {{args}}", "Plan $ARGUMENTS"),
            ("Read @{docs/a b.md} now", "Read @docs/a\\ b.md now"),
            ("Log: !{git log {{args}}}", "Log: !`git log $ARGUMENTS`"),
            ("It costs $5 or $ARGUMENTS", "It costs \\$5 or \\$ARGUMENTS"),
            ("open !{ brace", "open !{ brace"),
        ] {
            assert_eq!(write_claude(&parse_gemini(gemini)).as_deref(), Ok(claude), "{gemini}");
        }
        for gemini in ["!{echo `date`}", "!{awk '{print $1}' f}", "Say !`ls` as text"] {
            assert!(write_claude(&parse_gemini(gemini)).is_err(), "{gemini}");
        }
    }

    #[test]
    fn writes_plain_prompts() {
        let plain = |text| write_plain(&parse_claude(text, 1));
        assert_eq!(plain("Tag $1 \\$5 @a/b.md $ARGUMENTS"), "Tag $1 $5 @a/b.md $ARGUMENTS");
        assert_eq!(plain("Now !`git status`."), "Now (run `git status` and use its output).");
    }
}
