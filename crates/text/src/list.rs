//! Lists that a text holds as items with commas between them.

/// Splits at commas, except between `open` and `close`, which may be nested.
pub fn split_at_commas(list: &str, open: char, close: char) -> Vec<String> {
    let mut depth = 0usize;
    let mut items = vec![String::new()];
    for c in list.chars() {
        match c {
            c if c == open => depth += 1,
            c if c == close => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = items.last_mut() {
            last.push(c);
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::split_at_commas;

    #[test]
    fn commas_inside_brackets_separate_nothing() {
        assert_eq!(split_at_commas("a, {b,{c,d}},e", '{', '}'), ["a", " {b,{c,d}}", "e"]);
        assert_eq!(split_at_commas("Bash(a, b),Read", '(', ')'), ["Bash(a, b)", "Read"]);
        assert_eq!(split_at_commas("", '(', ')'), [""]);
        assert_eq!(split_at_commas("a),b", '(', ')'), ["a)", "b"]);
    }
}
