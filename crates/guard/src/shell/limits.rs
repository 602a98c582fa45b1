//! Limits of the parser: texts that are too long or too deep, and forms that it reads differently from a shell.

use std::collections::{HashSet, VecDeque};

/// The maximum length of a command line in bytes.
pub(super) const LENGTH: usize = 64 << 10;
/// The maximum number of opening tokens; the parser recurses for each.
const OPENINGS: usize = 400;

/// Returns why a text is not parsed: the parser would take too long or overflow the stack.
pub(super) fn error(text: &str) -> Option<&'static str> {
    if text.len() > LENGTH {
        Some("it is too long")
    } else if text.contains('\0') {
        Some("it contains a NUL character")
    } else if openings(text) > OPENINGS {
        Some("it is nested too deeply")
    } else if has_long_descriptor(text) {
        Some("it redirects an invalid file descriptor")
    } else {
        None
    }
}

/// The result of the parser; `None` if it panics, as brush-parser 0.4.0 does for some texts (`tokenizer.rs:674`
/// unwraps the character that should close a substitution).
pub(super) fn parsed<T>(parse: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(parse)).ok()
}

/// Counts what the parser recurses for. Texts in single quotes and here-documents are not parsed.
pub(super) fn openings(text: &str) -> usize {
    let code = code(text);
    let opening = |c: &char| matches!(c, '(' | '{' | '[' | '`');
    let words = code.split(|c: char| !c.is_ascii_alphabetic());
    let opened = words.filter(|word| matches!(*word, "if" | "while" | "until" | "for" | "case" | "select")).count();
    code.chars().filter(opening).count() + opened
}

/// Removes the bodies of here-documents and the texts in single quotes.
fn code(text: &str) -> String {
    let mut out = String::new();
    let lines: HashSet<&str> = text.lines().map(str::trim).collect();
    let mut ends: VecDeque<String> = VecDeque::new();
    for line in text.split_inclusive('\n') {
        if let Some(end) = ends.front() {
            if line.trim() == end {
                ends.pop_front();
            }
            continue;
        }
        out.push_str(line);
        for (at, _) in line.match_indices("<<") {
            let rest = line[at + 2..].trim_start_matches('-').trim_start();
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end: String = rest.trim_start_matches(['\'', '"', '\\']).chars().take_while(|c| plain(*c)).collect();
            let is_document = !end.is_empty() && !rest.starts_with('<') && !line[..at].ends_with('<');
            // Without its end, the text is no here-document.
            if is_document && lines.contains(end.as_str()) {
                ends.push_back(end);
            }
        }
    }
    let mut is_quoted = false;
    let mut double = false;
    let mut escaped = false;
    out.retain(|c| {
        if std::mem::take(&mut escaped) {
            return true;
        }
        match c {
            '\\' if !is_quoted => escaped = true,
            '"' if !is_quoted => double = !double,
            '\'' if !double => {
                is_quoted = !is_quoted;
                return false;
            }
            _ => {}
        }
        !is_quoted
    });
    out
}

/// Checks for long numbers before `<` or `>`, which the parser cannot handle as file descriptors.
fn has_long_descriptor(text: &str) -> bool {
    let ends = text.match_indices(['<', '>']).map(|(at, _)| &text[..at]);
    ends.into_iter().any(|before| before.bytes().rev().take_while(u8::is_ascii_digit).count() > 6)
}

/// Separates `( (`, which opens two subshells, but which the parser reads as arithmetic; `None` if there is none.
pub(super) fn separate_parentheses(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut quote = None;
    let mut is_escaped = false;
    let mut is_changed = false;
    let mut opened = false;
    for c in text.chars() {
        let is_plain = quote.is_none() && !is_escaped;
        if is_plain && c == '(' && opened && out.ends_with(char::is_whitespace) {
            out.push_str(": ; ");
            is_changed = true;
        }
        opened = match c {
            '(' => is_plain,
            c if c.is_whitespace() => opened,
            _ => false,
        };
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if quote != Some('\'') => is_escaped = true,
            '\'' | '"' if quote.is_none() => quote = Some(c),
            c if quote == Some(c) => quote = None,
            _ => {}
        }
        out.push(c);
    }
    is_changed.then_some(out)
}

/// Splits `(…)rest` after a `$`, or ``…`rest`` after a backtick, into the command and the rest.
pub(super) fn substitution<'t>(mark: &str, text: &'t str) -> Option<(&'t str, &'t str)> {
    if mark == "`" {
        return text.split_once('`');
    }
    let inner = text.strip_prefix('(')?;
    let mut depth = 1;
    for (at, c) in inner.char_indices() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return Some((&inner[..at], &inner[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_counts() {
        let brackets = "(".repeat(OPENINGS + 1);
        for (text, want) in [
            (format!("cat > x <<'EOF'\n{brackets}\nEOF\n"), None),
            (format!("echo '{brackets}'"), None),
            (format!("echo {brackets}"), Some("it is nested too deeply")),
            (format!("cat <<EOF\n{brackets}"), Some("it is nested too deeply")),
            ("gh run view 16157202640".to_owned(), None),
            ("99999999999>x".to_owned(), Some("it redirects an invalid file descriptor")),
        ] {
            assert_eq!(error(&text), want, "{}", &text[..20]);
        }
    }

    #[test]
    fn subshells_are_no_arithmetic() {
        assert_eq!(separate_parentheses("( (a) )").as_deref(), Some("( : ; (a) )"));
        for text in ["((i++))", "(a; (b))", "echo '( (a) )'", "echo \"( (\"", "f() { (a); }"] {
            assert_eq!(separate_parentheses(text), None, "{text}");
        }
    }
}
