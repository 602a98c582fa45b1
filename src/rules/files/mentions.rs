//! Which files of a skill its texts name.
//!
//! All words of all texts that could be a path, or a part of one, are gathered once, so that a skill of many files and
//! long texts takes time in proportion to its size.

use crate::canon::skill::Skill;
use crate::syntax::RepoPath;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The words of a skill's texts that may name one of its files.
pub(super) struct Mentions<'a> {
    /// All that would name a file of the skill; nothing else is kept.
    wanted: HashSet<String>,
    /// The bit of each length in bytes that a wanted word has; the highest stands for all above.
    lengths: u128,
    /// By word: the text it stands in; `None` where it stands in several.
    words: HashMap<Cow<'a, str>, Option<&'a RepoPath>>,
}

impl<'a> Mentions<'a> {
    /// Of all texts of a skill.
    pub fn of_all(skill: &'a Skill) -> Self {
        let mut mentions = Self::wanting(skill);
        for (source, _) in skill.all_texts() {
            mentions.add(source.path(), source.text());
        }
        mentions
    }

    /// Of its document alone.
    pub fn of_document(skill: &'a Skill) -> Self {
        let mut mentions = Self::wanting(skill);
        if let Some(source) = skill.source() {
            mentions.add(source.path(), source.text());
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
        Self { wanted, lengths, words: HashMap::new() }
    }

    fn add(&mut self, path: &'a RepoPath, text: &'a str) {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        for word in text.split(|c| !is_part(c)) {
            let word = word.trim_start_matches("./").trim_end_matches(['.', '-']);
            self.insert(word, path);
            let name = word.rsplit('/').next().unwrap_or(word);
            self.insert(name, path);
            self.insert(name.split('.').next().unwrap_or(name), path);
        }
    }

    fn insert(&mut self, word: &'a str, path: &'a RepoPath) {
        // Most words are of no length that is asked for. Only beyond ASCII does another case have another length.
        if word.is_empty() || (word.is_ascii() && self.lengths & length_bit(word) == 0) {
            return;
        }
        let word = folded(word);
        if self.wanted.contains(word.as_ref()) {
            let by = self.words.entry(word).or_insert(Some(path));
            *by = by.filter(|by| *by == path);
        }
    }

    /// Whether a word stands in a text other than the one at `path`.
    fn has(&self, word: &str, path: &RepoPath) -> bool {
        self.words.get(&folded(word)).is_some_and(|by| by.is_none_or(|by| by != path))
    }

    /// Whether another file than itself names a file: by its name, with or without its ending, or by a folder it lies in,
    /// as `references/` or `assets/templates`. `below` is its path in the skill.
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

fn length_bit(word: &str) -> u128 {
    1 << word.len().min(127)
}

/// In lower case: whoever names a file in another case means it, and the rule on links says so.
fn folded(word: &str) -> Cow<'_, str> {
    if word.chars().any(char::is_uppercase) { Cow::Owned(word.to_lowercase()) } else { Cow::Borrowed(word) }
}
