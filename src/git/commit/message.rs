//! The commit message as git would store it.

/// Cleans `raw` as git's default for a message given on the command line does: no white space at line ends, no empty
/// lines at the begin and the end, never two of them in a row, and one line feed at the end. Empty if nothing is left.
pub(super) fn cleaned(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len() + 1);
    let mut gap = false;
    for line in raw.lines().map(str::trim_ascii_end) {
        if line.is_empty() {
            gap = true;
            continue;
        }
        if gap && !out.is_empty() {
            out.push('\n');
        }
        gap = false;
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::cleaned;

    #[test]
    fn messages_are_cleaned_as_git_does() {
        assert_eq!(cleaned("one"), "one\n");
        assert_eq!(cleaned("\n\n one \n\n\n\ntwo\t\n\n"), " one\n\ntwo\n");
        assert_eq!(cleaned(" \n\t\n"), "");
        assert_eq!(cleaned("# kept\r\nnext"), "# kept\nnext\n");
    }
}
