//! File names in the scripts of `sed` and `awk`.

/// The files of a script that are read. A name goes on to the end of its line.
const MAX_FILES: usize = 64;

/// Lists the files that a `sed` script names with one of these commands: `w` and `W` write, `r` and `R` read.
pub fn sed_files(script: &str, commands: [char; 2]) -> Vec<String> {
    let mut found = Vec::new();
    for line in script.lines() {
        for (at, _) in line.match_indices(commands) {
            // A command follows an address, a block, another command, or the flags of `s`.
            let before = line[..at].trim_end().chars().next_back();
            let is_command = before.is_none_or(|c| {
                c.is_ascii_digit() || matches!(c, '/' | '$' | ';' | '{' | '!' | ',' | '|' | 'g' | 'p' | 'I')
            });
            let file = line[at + 1..].trim();
            if found.len() == MAX_FILES {
                return found;
            }
            if is_command && !file.is_empty() && (line[at + 1..].starts_with(' ') || file.starts_with(['/', '.'])) {
                found.push(file.trim_end_matches('}').trim_end().to_owned());
            }
        }
    }
    found
}

/// Lists the texts in double quotes of an `awk` script that follow `<` or `>`.
pub fn awk_files(script: &str, mark: char) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in script.match_indices(mark) {
        let rest = script[at + 1..].trim_start();
        if let Some((file, _)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            found.push(file.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_name_files() {
        for (script, want) in [
            ("w out.txt", vec!["out.txt"]),
            ("1w out.txt", vec!["out.txt"]),
            ("s/a/b/gw out.txt", vec!["out.txt"]),
            ("/x/{w out.txt\n}", vec!["out.txt"]),
            ("s/now or never/x/", vec![]),
            ("s/a/write this/", vec![]),
        ] {
            assert_eq!(sed_files(script, ['w', 'W']), want, "{script}");
        }
        assert_eq!(sed_files("1r notes.md", ['r', 'R']), ["notes.md"]);
        assert_eq!(awk_files("{print > \"a\"; getline l < \"b\"}", '>'), ["a"]);
        assert_eq!(awk_files("{print >> \"a\"}", '>'), ["a"]);
        assert_eq!(awk_files("$1 < 3 {print \"b\"}", '<'), Vec::<String>::new());
    }
}
