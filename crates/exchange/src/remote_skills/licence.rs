//! Which licence a skill states.

use super::discovery::stated_field;
use bstr::ByteSlice;
use canonry_text::RepoPath;

/// Phrases of licence texts, most specific first, with their SPDX ids.
const TEXTS: [(&str, &str); 9] = [
    ("gnu affero general public license", "AGPL-3.0"),
    ("gnu lesser general public license", "LGPL"),
    ("gnu general public license", "GPL"),
    ("apache license version 2.0", "Apache-2.0"),
    ("mozilla public license version 2.0", "MPL-2.0"),
    ("permission is hereby granted, free of charge", "MIT"),
    ("redistribution and use in source and binary forms", "BSD"),
    ("permission to use, copy, modify, and/or distribute", "ISC"),
    ("creative commons", "Creative Commons"),
];
/// Characters of a licence that a lock stores.
const MAX_LENGTH: usize = 200;

/// The licence in the frontmatter of a `SKILL.md`; otherwise that of the nearest licence file.
pub fn detect_licence(document: &[u8], file: Option<(&RepoPath, &[u8])>) -> Option<String> {
    let short = |text: String| text.chars().filter(|c| !c.is_control()).take(MAX_LENGTH).collect::<String>();
    stated_field(document, "license").map(short).or_else(|| file.map(|(path, text)| licence_of_file(path, text)))
}

fn licence_of_file(path: &RepoPath, text: &[u8]) -> String {
    let text: String = text.to_str_lossy().to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace("license, version", "license version");
    match TEXTS.iter().find(|(phrase, _)| text.contains(phrase)) {
        Some((_, id)) => format!("{id} ({path})"),
        None => format!("see {path}"),
    }
}

/// Whether a file in a folder has the text of a licence, by its name.
pub fn is_licence_file(path: &RepoPath) -> bool {
    let name = path.file_name().to_str_lossy().to_ascii_uppercase();
    let stem = name.split(['.', '-']).next().expect("split is never empty");
    matches!(stem, "LICENSE" | "LICENCE" | "COPYING" | "UNLICENSE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_states_its_licence_or_a_file_does() {
        let path = RepoPath::from("LICENSE.txt");
        let file = |text: &'static str| Some((&path, text.as_bytes()));
        let document = b"---\nname: x\nlicense: Proprietary. See LICENSE\n---\n";
        assert_eq!(detect_licence(document, None).as_deref(), Some("Proprietary. See LICENSE"));
        for (text, want) in [
            ("Apache License\n   Version 2.0, January 2004", "Apache-2.0 (LICENSE.txt)"),
            ("Permission is hereby granted,\nfree of charge, to any person", "MIT (LICENSE.txt)"),
            ("GNU GENERAL PUBLIC LICENSE", "GPL (LICENSE.txt)"),
            ("All rights reserved.", "see LICENSE.txt"),
        ] {
            assert_eq!(detect_licence(b"", file(text)).as_deref(), Some(want));
        }
        assert_eq!(detect_licence(b"", None), None);
    }

    #[test]
    fn licence_files_have_known_names() {
        for name in ["LICENSE", "a/license.md", "LICENSE-MIT", "COPYING", "Licence.txt"] {
            assert!(is_licence_file(&RepoPath::from(name)), "{name}");
        }
        assert!(!is_licence_file(&RepoPath::from("licensing.md")));
    }
}
