//! Which files of a skill its texts name.
//!
//! The words of a text that name a file, or could be a part of its path, are gathered once, so that a skill of many files and
//! long texts takes time in proportion to its size; and no text is read before a name is missing in those before it, so
//! that most take no time at all.

use crate::canon::skill::Skill;
use crate::syntax::{RepoPath, Source};
use gix::bstr::ByteSlice;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The words of a skill's texts that may name one of its files.
pub(super) struct Mentions<'a> {
    /// All that would name a file of the skill; nothing else is kept.
    wanted: HashSet<String>,
    /// The bit of each length in bytes that a wanted word has; the highest stands for all above.
    lengths: u128,
    /// Those of their first bytes, in either case.
    firsts: [bool; 256],
    /// By word: the text it stands in; `None` where it stands in several.
    words: HashMap<Cow<'a, str>, Option<&'a RepoPath>>,
    /// What is not read yet, the last one first.
    unread: Vec<&'a Source>,
}

impl<'a> Mentions<'a> {
    /// Of all texts of a skill.
    pub fn of_all(skill: &'a Skill) -> Self {
        let mut unread: Vec<&Source> = skill.all_texts().map(|(source, _)| source.as_ref()).collect();
        unread.reverse();
        Self { unread, ..Self::wanting(skill) }
    }

    /// Of its document alone.
    pub fn of_document(skill: &'a Skill) -> Self {
        let mut mentions = Self::wanting(skill);
        if let Some(source) = skill.source() {
            mentions.add(source);
        }
        mentions
    }

    fn wanting(skill: &Skill) -> Self {
        let mut wanted = HashSet::new();
        for entry in &skill.folder.files {
            let Some(below) = entry.path.below(&skill.folder.path).map(ToString::to_string) else { continue };
            let name = below.rsplit('/').next().unwrap_or(&below);
            wanted.extend([name, name.split('.').next().unwrap_or(name)].map(|word| folded(word).into_owned()));
            for (end, _) in below.match_indices('/') {
                let folder = &below[..end];
                let last = folder.rsplit('/').next().unwrap_or(folder);
                wanted.extend(
                    [format!("{folder}/"), format!("{last}/"), folder.to_owned()]
                        .map(|word| folded(&word).into_owned()),
                );
            }
        }
        let lengths = wanted.iter().fold(0, |bits, word| bits | length_bit(word));
        let mut firsts = [false; 256];
        for first in wanted.iter().filter_map(|word| word.bytes().next()) {
            firsts[usize::from(first)] = true;
            firsts[usize::from(first.to_ascii_uppercase())] = true;
        }
        Self { wanted, lengths, firsts, words: HashMap::new(), unread: Vec::new() }
    }

    fn add(&mut self, source: &'a Source) {
        let (path, text) = (source.path(), source.text());
        let mut start = 0;
        let mut seen = 0;
        // Byte by byte: of nearly all words, their length and first letter are all that is looked at.
        for (at, byte) in text.bytes().enumerate() {
            let kind = KINDS[usize::from(byte)];
            seen |= kind;
            if kind == APART {
                self.add_run(&text[start..at], seen, path);
                (start, seen) = (at + 1, 0);
            }
        }
        self.add_run(&text[start..], seen, path);
    }

    /// What stands between two signs of ASCII that are no part of a path; `seen` is what it consists of.
    fn add_run(&mut self, run: &'a str, seen: u8, path: &'a RepoPath) {
        match seen & !APART {
            LETTER => self.insert(run, path),
            kinds if kinds & BEYOND == 0 => self.add_word(run, path),
            _ => run.split(|c| !is_part(c)).for_each(|word| self.add_word(word, path)),
        }
    }

    fn add_word(&mut self, word: &'a str, path: &'a RepoPath) {
        let mut word = word.trim_end_matches(['.', '-']);
        while let Some(rest) = word.strip_prefix("./") {
            word = rest;
        }
        self.insert(word, path);
        let name = word.rsplit('/').next().unwrap_or(word);
        let stem = name.split('.').next().unwrap_or(name);
        if name.len() < word.len() {
            self.insert(name, path);
        }
        if stem.len() < name.len() {
            self.insert(stem, path);
        }
    }

    fn insert(&mut self, word: &'a str, path: &'a RepoPath) {
        let Some(first) = word.bytes().next() else { return };
        // Most words are of no length or beginning that is asked for. Beyond ASCII another case may have another length.
        if word.is_ascii() && (self.lengths & length_bit(word) == 0 || !self.firsts[usize::from(first)]) {
            return;
        }
        let word = folded(word);
        if self.wanted.contains(word.as_ref()) {
            let by = self.words.entry(word).or_insert(Some(path));
            *by = by.filter(|by| *by == path);
        }
    }

    /// Whether a word stands in a text other than the one at `path`, of those that were read.
    fn has(&self, word: &str, path: &RepoPath) -> bool {
        self.words.get(&folded(word)).is_some_and(|by| by.is_none_or(|by| by != path))
    }

    /// As `name`, reading on while it is not named.
    pub fn name_at_last(&mut self, path: &RepoPath, below: &str) -> bool {
        while !self.name(path, below) {
            let Some(next) = self.unread.pop() else { return false };
            self.add(next);
        }
        true
    }

    /// Whether another file than itself names a file: by its name, with or without its ending, or by a folder it lies in,
    /// as `references/` or `assets/templates`. `below` is its path in the skill. Of the texts that were read.
    pub fn name(&self, path: &RepoPath, below: &str) -> bool {
        let name = below.rsplit('/').next().unwrap_or(below);
        // A name with other signs is not found as one word.
        let is_plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        let stem = name.split('.').next().unwrap_or(name);
        !is_plain || self.has(name, path) || (stem.len() > 2 && self.has(stem, path)) || self.name_a_folder(path, below)
    }

    fn name_a_folder(&self, path: &RepoPath, below: &str) -> bool {
        let ends = below.match_indices('/').map(|(at, _)| at);
        ends.into_iter().any(|end| {
            let folder = &below[..end];
            let last = folder.rsplit('/').next().unwrap_or(folder);
            let with_slash = |text: &str| self.has(&format!("{text}/"), path);
            with_slash(folder) || with_slash(last) || (folder.contains('/') && self.has(folder, path))
        })
    }
}

/// No part of a path.
const APART: u8 = 1;
/// A letter, digit, or `_`.
const LETTER: u8 = 2;
/// `.`, `-` and `/`, which are part of a path and of sentences.
const SIGN: u8 = 4;
/// Beyond ASCII.
const BEYOND: u8 = 8;

/// What each byte is.
const KINDS: [u8; 256] = {
    let mut kinds = [BEYOND; 256];
    let mut byte = 0u8;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'.' | b'-' | b'/' => SIGN,
            b'_' => LETTER,
            _ if byte.is_ascii_alphanumeric() => LETTER,
            _ => APART,
        };
        byte += 1;
    }
    kinds
};

/// Whether a name stands in a text as it is, alone or behind a folder. Nearly all do, which spares all else.
pub(super) fn stands_in(text: &str, name: &[u8]) -> bool {
    let bytes = text.as_bytes();
    let is_apart = |at: usize| bytes.get(at).is_none_or(|byte| KINDS[usize::from(*byte)] == APART);
    let begins = |at: usize| at.checked_sub(1).is_none_or(|before| bytes[before] == b'/' || is_apart(before));
    !name.is_empty() && bytes.find_iter(name).any(|at| begins(at) && is_apart(at + name.len()))
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')
}

fn length_bit(word: &str) -> u128 {
    1 << word.len().min(127)
}

/// In lower case: whoever names a file in another case means it, and the rule on links says so.
fn folded(word: &str) -> Cow<'_, str> {
    if word.chars().any(char::is_uppercase) { Cow::Owned(word.to_lowercase()) } else { Cow::Borrowed(word) }
}

#[cfg(test)]
mod tests {
    use super::stands_in;

    #[test]
    fn a_name_stands_alone_or_behind_a_folder() {
        for (text, want) in [
            ("run `scripts/run.sh` now", true),
            ("run.sh", true),
            ("see (run.sh)", true),
            ("see run.sh.", false),
            ("re-run.sh", false),
            ("run.sh2 run.shé", false),
            ("Run.sh", false),
        ] {
            assert_eq!(stands_in(text, b"run.sh"), want, "{text}");
        }
    }
}
