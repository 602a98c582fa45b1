//! An index of the words in a skill's texts that refer to its files.
//!
//! Each text is scanned once for all files, so the time is proportional to the size of the skill. A text is only scanned
//! if the texts before it do not refer to a file.

use crate::canon::skill::Skill;
use crate::syntax::{RepoPath, Source};
use gix::bstr::ByteSlice;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The words in a skill's texts that may refer to one of its files.
pub(super) struct ReferenceIndex<'a> {
    /// The words that refer to a file of the skill; all others are dropped.
    wanted: HashSet<String>,
    /// By the first byte of a wanted word, in both cases: one bit per length in bytes; the highest bit covers all longer ones.
    lengths: [u64; 256],
    /// For each word the text that contains it; `None` if several do.
    words: HashMap<Cow<'a, str>, Option<&'a RepoPath>>,
    /// The texts that are not scanned yet, in reverse order.
    unread: Vec<&'a Source>,
}

impl<'a> ReferenceIndex<'a> {
    /// Indexes all texts of a skill, on demand.
    pub fn from_skill(skill: &'a Skill) -> Self {
        let mut unread: Vec<&Source> = skill.all_texts().map(|(source, _)| source.as_ref()).collect();
        unread.reverse();
        Self { unread, ..Self::for_files(skill) }
    }

    /// Indexes only `SKILL.md`.
    pub fn from_document(skill: &'a Skill) -> Self {
        let mut index = Self::for_files(skill);
        if let Some(source) = skill.source() {
            index.add(source);
        }
        index
    }

    fn for_files(skill: &Skill) -> Self {
        let mut wanted = HashSet::new();
        for entry in &skill.folder.files {
            let Some(below) = entry.path.below(&skill.folder.path).map(ToString::to_string) else { continue };
            let name = below.rsplit('/').next().unwrap_or(&below);
            wanted.extend([name, name.split('.').next().unwrap_or(name)].map(|word| fold_case(word).into_owned()));
            for (end, _) in below.match_indices('/') {
                let folder = &below[..end];
                let last = folder.rsplit('/').next().unwrap_or(folder);
                wanted.extend(
                    [format!("{folder}/"), format!("{last}/"), folder.to_owned()]
                        .map(|word| fold_case(&word).into_owned()),
                );
            }
        }
        let mut lengths = [0; 256];
        for word in &wanted {
            let Some(first) = word.bytes().next() else { continue };
            lengths[usize::from(first)] |= length_bit(word);
            lengths[usize::from(first.to_ascii_uppercase())] |= length_bit(word);
        }
        Self { wanted, lengths, words: HashMap::new(), unread: Vec::new() }
    }

    fn add(&mut self, source: &'a Source) {
        let (path, text) = (source.path(), source.text());
        let mut start = 0;
        let mut seen = 0;
        // Byte by byte: for most words, the length and the first letter are enough to reject them.
        for (at, byte) in text.bytes().enumerate() {
            let class = CLASSES[usize::from(byte)];
            seen |= class;
            if class == SEPARATOR {
                self.add_run(&text[start..at], seen, path);
                (start, seen) = (at + 1, 0);
            }
        }
        self.add_run(&text[start..], seen, path);
    }

    /// Adds the text between two ASCII separators; `seen` holds the classes of its characters.
    fn add_run(&mut self, run: &'a str, seen: u8, path: &'a RepoPath) {
        match seen & !SEPARATOR {
            LETTER if !self.may_want(run) => {}
            LETTER => self.insert(run, path),
            classes if classes & NON_ASCII == 0 => self.add_word(run, path),
            _ => run.split(|c| !is_part(c)).for_each(|word| self.add_word(word, path)),
        }
    }

    fn add_word(&mut self, word: &'a str, path: &'a RepoPath) {
        let mut word = word.trim_end_matches(['.', '-']);
        while let Some(rest) = word.strip_prefix("./") {
            word = rest;
        }
        self.insert(word, path);
        // Both are ASCII, so the search is for bytes.
        let name = word.as_bytes().rfind_byte(b'/').map_or(word, |slash| &word[slash + 1..]);
        let stem = name.as_bytes().find_byte(b'.').map_or(name, |dot| &name[..dot]);
        if name.len() < word.len() {
            self.insert(name, path);
        }
        if stem.len() < name.len() {
            self.insert(stem, path);
            // Modules in imports: `from .core import x`, `import tools.core`.
            name.split('.').skip(1).for_each(|module| self.insert(module, path));
        }
    }

    fn insert(&mut self, word: &'a str, path: &'a RepoPath) {
        // For non-ASCII words, a change of case can change the length.
        if word.is_empty() || word.is_ascii() && !self.may_want(word) {
            return;
        }
        let word = fold_case(word);
        if self.wanted.contains(word.as_ref()) {
            let by = self.words.entry(word).or_insert(Some(path));
            *by = by.filter(|by| *by == path);
        }
    }

    /// Whether an ASCII word may be wanted. The first byte and the length reject most words.
    fn may_want(&self, word: &str) -> bool {
        word.bytes().next().is_some_and(|first| self.lengths[usize::from(first)] & length_bit(word) != 0)
    }

    /// Whether a scanned text other than the one at `path` contains the word.
    fn contains(&self, word: &str, path: &RepoPath) -> bool {
        self.words.get(&fold_case(word)).is_some_and(|by| by.is_none_or(|by| by != path))
    }

    /// Like `is_referenced`, but scans further texts until one refers to the file.
    pub fn is_referenced_anywhere(&mut self, path: &RepoPath, below: &str) -> bool {
        while !self.is_referenced(path, below) {
            let Some(next) = self.unread.pop() else { return false };
            self.add(next);
        }
        true
    }

    /// Whether a scanned text other than the file itself refers to the file: by its name, with or without extension, or
    /// by a directory that contains it, such as `references/` or `assets/templates`. `below` is its path in the skill.
    pub fn is_referenced(&self, path: &RepoPath, below: &str) -> bool {
        let name = below.rsplit('/').next().unwrap_or(below);
        // A name with other characters is not indexed as one word.
        let is_plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        let stem = name.split('.').next().unwrap_or(name);
        !is_plain
            || self.contains(name, path)
            || (stem.len() > 2 && self.contains(stem, path))
            || self.is_folder_referenced(path, below)
    }

    fn is_folder_referenced(&self, path: &RepoPath, below: &str) -> bool {
        let ends = below.match_indices('/').map(|(at, _)| at);
        ends.into_iter().any(|end| {
            let folder = &below[..end];
            let last = folder.rsplit('/').next().unwrap_or(folder);
            let with_slash = |text: &str| self.contains(&format!("{text}/"), path);
            with_slash(folder) || with_slash(last) || (folder.contains(['/', '-', '_']) && self.contains(folder, path))
        })
    }
}

/// A separator: not part of a path.
const SEPARATOR: u8 = 1;
/// A letter, digit, or `_`.
const LETTER: u8 = 2;
/// `.`, `-` and `/`, which occur in paths and in sentences.
const PUNCTUATION: u8 = 4;
/// Not ASCII.
const NON_ASCII: u8 = 8;

/// The class of each byte.
const CLASSES: [u8; 256] = {
    let mut classes = [NON_ASCII; 256];
    let mut byte = 0u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'.' | b'-' | b'/' => PUNCTUATION,
            b'_' => LETTER,
            _ if byte.is_ascii_alphanumeric() => LETTER,
            _ => SEPARATOR,
        };
        byte += 1;
    }
    classes
};

/// Whether a text contains a file name as it is, alone or after a directory. This cheap test settles most files.
pub(super) fn contains_name(text: &str, name: &[u8]) -> bool {
    let bytes = text.as_bytes();
    let is_separator = |at: usize| bytes.get(at).is_none_or(|byte| CLASSES[usize::from(*byte)] == SEPARATOR);
    let starts = |at: usize| at.checked_sub(1).is_none_or(|before| bytes[before] == b'/' || is_separator(before));
    !name.is_empty() && bytes.find_iter(name).any(|at| starts(at) && is_separator(at + name.len()))
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')
}

fn length_bit(word: &str) -> u64 {
    1 << word.len().min(63)
}

/// Lower case: a reference in another case still refers to the file; `broken-link` reports it.
fn fold_case(word: &str) -> Cow<'_, str> {
    let has_upper = match word.is_ascii() {
        true => word.bytes().any(|byte| byte.is_ascii_uppercase()),
        false => word.chars().any(char::is_uppercase),
    };
    if has_upper { Cow::Owned(word.to_lowercase()) } else { Cow::Borrowed(word) }
}

#[cfg(test)]
mod tests {
    use super::contains_name;

    #[test]
    fn names_match_alone_or_after_a_directory() {
        for (text, want) in [
            ("run `scripts/run.sh` now", true),
            ("run.sh", true),
            ("see (run.sh)", true),
            ("see run.sh.", false),
            ("re-run.sh", false),
            ("run.sh2 run.shé", false),
            ("Run.sh", false),
        ] {
            assert_eq!(contains_name(text, b"run.sh"), want, "{text}");
        }
    }
}
