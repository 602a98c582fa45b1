//! The conditions that prose adds to an entry: "of a shared branch", "outside of memory/", "to production".

use super::words::{Token, stem};
use std::cell::LazyCell;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Limits of an entry. An empty list is no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryScope {
    /// Only calls that change one of these branches.
    pub branches: Vec<String>,
    /// Only calls for one of these environments.
    pub environments: Vec<String>,
    /// Only calls that touch one of these paths.
    pub inside: Vec<String>,
    /// Not calls that only touch these paths.
    pub outside: Vec<String>,
}

impl EntryScope {
    pub fn is_empty(&self) -> bool {
        self.branches.is_empty() && self.environments.is_empty() && self.inside.is_empty() && self.outside.is_empty()
    }

    fn extend(&mut self, other: Self) {
        self.branches.extend(other.branches);
        self.environments.extend(other.environments);
        self.inside.extend(other.inside);
        self.outside.extend(other.outside);
    }
}

impl std::fmt::Display for EntryScope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lists = [
            ("on the branches ", &self.branches),
            ("for ", &self.environments),
            ("in ", &self.inside),
            ("outside of ", &self.outside),
        ];
        let lists = lists.iter().filter(|(_, list)| !list.is_empty());
        let parts: Vec<String> = lists.map(|(word, list)| format!("{word}{}", list.join(", "))).collect();
        f.write_str(&parts.join(" "))
    }
}

/// Which conditions the hook can check for an action or a command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checkable {
    pub branches: bool,
    pub environments: bool,
    pub paths: bool,
}

/// The condition in some words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Condition {
    pub scope: EntryScope,
    /// The words that the hook cannot check.
    pub unchecked: Vec<String>,
    /// Whether it says "without approval".
    pub asks: bool,
}

impl Condition {
    /// A condition that the hook cannot check.
    pub fn unreadable(why: &str) -> Self {
        Self { unchecked: vec![why.to_owned()], ..Self::default() }
    }

    pub fn extend(&mut self, other: Self) {
        self.scope.extend(other.scope);
        self.unchecked.extend(other.unchecked);
        self.asks |= other.asks;
    }
}

/// Branches that several people build on.
const SHARED: [&str; 7] = ["main", "master", "trunk", "develop", "release/*", "production", "staging"];
const SHARED_WORDS: [&str; 12] = [
    "shared",
    "protected",
    "public",
    "published",
    "default",
    "common",
    "important",
    "remote",
    "others",
    "everyone",
    "people",
    "long-lived",
];
const BRANCH_NAMES: [&str; 16] = [
    "main",
    "master",
    "trunk",
    "develop",
    "development",
    "dev",
    "production",
    "prod",
    "staging",
    "stable",
    "next",
    "release",
    "releases",
    "gh-pages",
    "live",
    "qa",
];
const ENVIRONMENTS: [&str; 10] =
    ["production", "prod", "staging", "stage", "live", "dev", "development", "test", "qa", "preview"];
/// Words that limit nothing.
const NEUTRAL: &str = "a an the any all every each new your our its their this these those it them and or not no never \
    always do don't must should may can be is are of to in on for from by with into onto at as such directly yourself \
    please also project repository repo configuration config setting file environment first manually hand own existing \
    kind form sort via using only same other another more either whatever code ever under circumstance agent you \
    someone anyone itself more than one further additional";
/// Words around a branch that say nothing more.
const BRANCH_NEUTRAL: &str = "branch that which use used work build on people else commit history depend";
const APPROVAL: &str =
    "approval approve permission asking ask confirmation confirm consent told tell review sign-off ok";

static NEUTRAL_STEMS: LazyLock<HashSet<String>> = LazyLock::new(|| stems(NEUTRAL));
static BRANCH_NEUTRAL_STEMS: LazyLock<HashSet<String>> = LazyLock::new(|| stems(BRANCH_NEUTRAL));
static APPROVAL_STEMS: LazyLock<HashSet<String>> = LazyLock::new(|| stems(APPROVAL));

fn stems(words: &str) -> HashSet<String> {
    words.split_whitespace().map(stem).collect()
}

fn is_one_of(token: &Token, stems: &HashSet<String>) -> bool {
    token.stem().is_some_and(|stem| stems.contains(stem))
}

pub(super) fn is_neutral(token: &Token) -> bool {
    match token {
        Token::Word { stem, .. } => NEUTRAL_STEMS.contains(stem),
        Token::Code(_) => false,
        Token::Comma | Token::Colon => true,
    }
}

/// Reads the condition in the words of a part.
pub(super) fn condition(tokens: &[&Token], checkable: Checkable) -> Condition {
    let mut found = Condition::default();
    let mut is_outside = false;
    let is_about_approval = LazyCell::new(|| tokens.iter().any(|other| is_one_of(other, &APPROVAL_STEMS)));
    let mut rest = tokens.iter().peekable();
    while let Some(token) = rest.next() {
        let raw = token.raw().to_lowercase();
        if token.stem().is_none() {
        } else if matches!(raw.as_str(), "outside" | "except" | "besides" | "excluding") {
            is_outside = true;
            if !checkable.paths {
                found.unchecked.push(token.raw().to_owned());
            }
        } else if matches!(raw.as_str(), "without" | "unless") && *is_about_approval {
            found.asks = true;
            let is_approval = |token: &&&Token| is_neutral(token) || is_one_of(token, &APPROVAL_STEMS);
            while rest.next_if(is_approval).is_some() {}
        } else if checkable.paths && is_path(token) {
            let list = if is_outside { &mut found.scope.outside } else { &mut found.scope.inside };
            list.push(token.raw().to_owned());
        } else if checkable.branches && SHARED_WORDS.iter().any(|word| raw == *word) {
            found.scope.branches.extend(SHARED.map(str::to_owned));
        } else if checkable.branches && raw == "other" {
            found.scope.branches.extend(SHARED.map(str::to_owned))
        } else if checkable.branches && is_branch(token) {
            let own = if raw.starts_with("release") && !raw.contains('/') { "release/*" } else { token.raw() };
            found.scope.branches.push(own.to_owned());
        } else if checkable.environments && ENVIRONMENTS.contains(&raw.as_str()) {
            found.scope.environments.push(raw.clone());
        } else {
            let is_neutral = is_neutral(token) || checkable.branches && is_one_of(token, &BRANCH_NEUTRAL_STEMS);
            if !is_neutral {
                found.unchecked.push(token.raw().to_owned());
            }
        }
    }
    for list in [&mut found.scope.branches, &mut found.scope.environments] {
        list.sort_unstable();
        list.dedup();
    }
    found
}

fn is_path(token: &Token) -> bool {
    let raw = token.raw();
    let has_extension =
        raw.rsplit_once('.').is_some_and(|(name, end)| !name.is_empty() && (1..=5).contains(&end.len()));
    raw.contains('/')
        || raw.starts_with(['.', '~'])
        || has_extension
        || matches!(token, Token::Code(code) if !code.contains(' '))
}

fn is_branch(token: &Token) -> bool {
    let raw = token.raw().to_lowercase();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '*');
    match token {
        Token::Code(code) => !code.is_empty() && code.chars().all(plain) && !code.starts_with('-'),
        _ => BRANCH_NAMES.contains(&raw.as_str()) || raw.ends_with("/*"),
    }
}
