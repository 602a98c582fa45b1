//! Escaping for XML, HTML, SVG and Markdown.

/// Escapes text for content and attributes. Invalid characters, and those that change the text direction, become
/// U+FFFD.
pub fn escape_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A text for one line of Markdown, also in a table. Everything that has a meaning in Markdown or HTML is escaped.
pub fn markdown_text(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' => {
                out.push('\\');
                out.push(c);
            }
            c if is_hidden(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A text as inline code, also in a table.
pub fn markdown_code(text: &str) -> String {
    let clean: String = text.chars().map(|c| if is_hidden(c) { '\u{fffd}' } else { c }).collect();
    let longest = clean.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    // Tables split cells at a bar even in code.
    format!("{fence}{pad}{}{pad}{fence}", clean.replace('|', "\\|"))
}

fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_leave_their_place_in_markdown() {
        assert_eq!(markdown_text("a\n\n# b | <script> [x](y)"), "a \\# b \\| \\<script\\> \\[x\\](y)");
        assert_eq!(markdown_code("a`b|c\n"), "`` a`b\\|c\u{fffd} ``");
        assert_eq!(markdown_code("x"), "`x`");
    }
}
