//! Meaning of prose: the actions it names, and their conditions.

use super::actions::{Action, Beginnings, Phrase};
use super::scope::{Checkable, Condition, condition, is_neutral};
use super::words::{Token, stem};

/// Words for texts. An action before one of them is what the text is about.
const TEXTS: [&str; 12] = [
    "configuration",
    "config",
    "settings",
    "file",
    "script",
    "manifest",
    "pipeline",
    "documentation",
    "docs",
    "guide",
    "notes",
    "log",
];

/// An action that a clause names.
pub(super) struct NamedAction {
    pub action: &'static Action,
    /// Whether it is named in the introduction of a list, before a colon.
    pub introduces: bool,
    pub condition: Condition,
}

/// Meaning of a clause. `is_taken` marks the tokens with a meaning of their own: commands with their conditions.
pub(super) struct ClauseMeaning {
    pub actions: Vec<NamedAction>,
    /// The parts of the clause that mean nothing to the hook.
    pub unbound: Vec<String>,
}

/// An action with the positions of the words that name it.
struct Match {
    action: &'static Action,
    /// The first and the last element.
    first: usize,
    last: usize,
}

pub(super) fn meaning(tokens: &[Token], is_taken: &[bool]) -> ClauseMeaning {
    let mut is_used: Vec<bool> = is_taken.to_vec();
    let mut matches = named(tokens, is_taken, &mut is_used);
    matches.sort_by_key(|found| found.first);
    let actions = matches
        .iter()
        .map(|found| {
            let end = matches.iter().map(|other| other.first).filter(|first| *first > found.last).min();
            let condition = condition_of(tokens, &mut is_used, found, end.unwrap_or(tokens.len()));
            let introduces = tokens.get(found.last..).unwrap_or_default().contains(&Token::Colon);
            NamedAction { action: found.action, introduces, condition }
        })
        .collect();
    ClauseMeaning { actions, unbound: unbound(tokens, &is_used) }
}

/// Finds the phrases in a clause. A phrase of one element counts only where no longer phrase uses the word.
fn named(tokens: &[Token], is_taken: &[bool], is_used: &mut [bool]) -> Vec<Match> {
    let mut found: Vec<Match> = Vec::new();
    let words: Beginnings = tokens.iter().filter_map(Token::stem).collect();
    for single in [false, true] {
        let mut used_now = Vec::new();
        for action in Action::all() {
            let may_occur = |phrase: &&Phrase| phrase.is_single() == single && phrase.may_occur(&words);
            for phrase in action.phrases.iter().filter(may_occur).map(|phrase| phrase.text) {
                let Some(positions) = positions(phrase, tokens, is_taken) else { continue };
                let is_action = |at: &usize| begins_part(tokens, *at) && !describes_text(tokens, *at);
                if single && !positions.first().is_some_and(is_action) {
                    continue;
                }
                let is_known = found.iter().any(|known| known.action.id == action.id);
                let overlaps = positions.iter().any(|at| is_used.get(*at).is_some_and(|is| *is));
                if single && (overlaps || is_known) {
                    continue;
                }
                if let (false, Some(first), Some(last)) = (is_known, positions.iter().min(), positions.iter().max()) {
                    found.push(Match { action, first: *first, last: *last });
                }
                used_now.extend(positions);
                used_now.extend(alternatives(phrase, tokens, is_taken));
            }
        }
        for at in used_now {
            if let Some(is) = is_used.get_mut(at) {
                *is = true;
            }
        }
    }
    found
}

/// Whether only neutral words are before a token in its part, or a conjunction directly before it.
fn begins_part(tokens: &[Token], at: usize) -> bool {
    let before = tokens.get(..at).unwrap_or_default();
    let joins = before.last().is_some_and(|token| matches!(token.raw(), "and" | "or" | "nor"));
    let is_end = |token: &&Token| matches!(token, Token::Comma | Token::Colon);
    joins || before.iter().rev().take_while(|token| !is_end(token)).all(is_neutral)
}

/// Whether a word only says what a text is about: "deployment configuration".
fn describes_text(tokens: &[Token], at: usize) -> bool {
    let next = tokens.get(at + 1).and_then(Token::stem);
    next.is_some_and(|next| TEXTS.iter().any(|word| stem(word) == next))
}

/// The positions of the words of a phrase; `None` if it does not occur.
fn positions(phrase: &str, tokens: &[Token], is_taken: &[bool]) -> Option<Vec<usize>> {
    let mut from = 0;
    let mut found = Vec::new();
    for element in phrase.split(' ') {
        let (at, length) = (from..tokens.len()).find_map(|at| Some((at, occurs(element, tokens, is_taken, at)?)))?;
        found.extend(at..at + length);
        from = at + length;
    }
    Some(found)
}

/// The positions of all alternatives of a phrase: "add, remove or upgrade".
fn alternatives(phrase: &str, tokens: &[Token], is_taken: &[bool]) -> Vec<usize> {
    let all = phrase.split(' ').flat_map(|element| {
        (0..tokens.len()).filter_map(move |at| Some(at..at + occurs(element, tokens, is_taken, at)?))
    });
    all.flatten().collect()
}

/// The number of tokens of the alternative of an element that starts at a position.
fn occurs(element: &str, tokens: &[Token], is_taken: &[bool], at: usize) -> Option<usize> {
    if is_taken.get(at).copied().unwrap_or_default() {
        return None;
    }
    let first = tokens.get(at).and_then(Token::stem)?;
    let start = first.as_bytes().get(..2.min(first.len()))?;
    let of = |alternative: &str| {
        // A stem begins like its word, so that few words of the table need a stem.
        if !alternative.as_bytes().get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)) {
            return None;
        }
        let is = |at: usize, word: &str| {
            let is_free = !is_taken.get(at).copied().unwrap_or_default();
            is_free && tokens.get(at).and_then(Token::stem).is_some_and(|own| own == stem(word))
        };
        let words = alternative.split('_').count();
        let all = alternative.split('_').enumerate().all(|(n, word)| is(at + n, word));
        let joined = || words > 1 && is(at, &alternative.replace('_', "-"));
        if all { Some(words) } else { joined().then_some(1) }
    };
    element.split('|').filter_map(of).max()
}

/// Reads the condition of an action: the other words between its own, behind them in the same part, and in the next parts
/// if they only continue a list.
fn condition_of(tokens: &[Token], is_used: &mut [bool], found: &Match, end: usize) -> Condition {
    let action = found.action;
    let checkable =
        Checkable { branches: action.has_branches, environments: action.has_environments, paths: action.has_paths };
    let is_comma = |at: &usize| matches!(tokens.get(*at), Some(Token::Comma | Token::Colon));
    let mut total = Condition::default();
    let mut from = found.first;
    while from < end {
        let to = (from.max(found.last + usize::from(from == found.first))..end).find(is_comma).unwrap_or(end);
        let free: Vec<usize> = (from..to).filter(|at| !is_used.get(*at).copied().unwrap_or(true)).collect();
        let words: Vec<&Token> = free.iter().filter_map(|at| tokens.get(*at)).collect();
        let part = condition(&words, checkable);
        let continues = part.unchecked.is_empty() && (!part.scope.is_empty() || part.asks);
        if from != found.first && !continues {
            break;
        }
        // A guard has its own conditions.
        if action.guards.is_empty() {
            total.extend(part);
        }
        for at in free {
            if let Some(is) = is_used.get_mut(at) {
                *is = true;
            }
        }
        from = to + 1;
    }
    total
}

/// The parts between commas in which nothing is used. An introduction before a colon needs no meaning of its own.
fn unbound(tokens: &[Token], is_used: &[bool]) -> Vec<String> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < tokens.len() {
        let is_end = |at: &usize| matches!(tokens.get(*at), Some(Token::Comma | Token::Colon));
        let end = (start..tokens.len()).find(is_end).unwrap_or(tokens.len());
        let part = tokens.get(start..end).unwrap_or_default();
        let is_introduction = tokens.get(end) == Some(&Token::Colon);
        let means_something = is_used.get(start..end).unwrap_or_default().contains(&true);
        if !is_introduction && !means_something && part.iter().any(|token| !is_neutral(token)) {
            let words = part.iter().map(|token| match token {
                Token::Code(code) => format!("`{code}`"),
                token => token.raw().to_owned(),
            });
            found.push(words.collect::<Vec<_>>().join(" "));
        }
        start = end + 1;
    }
    found
}
