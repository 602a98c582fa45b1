//! Opposites: texts that contradict each other.
//!
//! [`find_contradictions`] is exact and may refuse a decision. [`find_near_opposites`] is a hint for a person: the texts may
//! differ in other words, and both may hold under different conditions.

mod claims;
mod contradictions;
mod words;

pub use contradictions::find_contradictions;

use claims::Claims;
use std::collections::{BTreeMap, HashMap};
use words::{StatementWord, words};

/// Use of a word in a text.
#[derive(Clone, Copy, Debug)]
struct Stance {
    is_negated: bool,
    is_head: bool,
    is_antonym: bool,
    is_harmful: bool,
    is_in_ban: bool,
    /// Whether it is the first word, as the verb of an instruction is.
    is_first: bool,
}

/// The common words of two texts.
#[derive(Clone, Copy, Debug, Default)]
struct CommonWords {
    has_any: bool,
    /// One text negates them.
    contrary: usize,
    /// Both or neither text negates them.
    same: usize,
    /// Whether a contrary word is one of two antonyms, or all that a text negates.
    has_reversal: bool,
    /// Whether the other text mentions nearly everything that one bans.
    is_whole_ban: bool,
    /// Whether one text begins with the only thing that the other one bans.
    has_banned_verb: bool,
    /// Whether one text gives the harm of what the other one wants as the reason for something else.
    has_harm: bool,
}

impl CommonWords {
    /// `shorter` is the number of words of the shorter text.
    fn are_opposite(self, shorter: usize) -> bool {
        let common = self.contrary + self.same;
        self.contrary > 0
            && ((self.contrary > self.same && common * 2 >= shorter)
                || (self.has_reversal && common * 4 >= shorter * 3)
                || (self.is_whole_ban && common * 5 >= shorter * 3)
                || ((self.has_banned_verb || self.has_harm) && common > 1))
    }
}

/// For each text, the positions of its near-opposites, in ascending order.
///
/// Two texts are near-opposites if at least half of the words of the shorter one occur in the other, and more of them with the
/// opposite sign than with the same; or if three quarters of them occur there, and one is replaced by its antonym or is all that is
/// negated. A text
/// that bans something the other does not mention is not its opposite: `never log tokens` and `rotate tokens`.
pub fn find_near_opposites(texts: &[&str]) -> Vec<Vec<usize>> {
    let parsed: Vec<StatementTerms> = texts
        .iter()
        .map(|text| {
            let mut terms = BTreeMap::new();
            for (at, word) in words(text).into_iter().enumerate().filter(|(_, word)| word.stem != "after") {
                let StatementWord { stem, is_negated, is_negated_head: is_head, is_antonym, is_harmful, is_in_ban } =
                    word;
                let is_first = at == 0;
                terms.entry(stem).or_insert(Stance {
                    is_negated,
                    is_head,
                    is_antonym,
                    is_harmful,
                    is_in_ban,
                    is_first,
                });
            }
            terms
        })
        .collect();
    let claims: Vec<Claims> = texts.iter().map(|text| Claims::parse(text)).collect();
    // For each word, the texts before that have it.
    let mut by_term: HashMap<&str, Vec<(usize, Stance)>> = HashMap::new();
    let mut opposites = vec![Vec::new(); texts.len()];
    let mut shared: Vec<CommonWords> = vec![CommonWords::default(); texts.len()];
    for (at, terms) in parsed.iter().enumerate() {
        shared[..at].fill(CommonWords::default());
        for (term, stance) in terms {
            let before = by_term.entry(term).or_default();
            for (other, counterpart) in before.iter() {
                let common = &mut shared[*other];
                common.has_any = true;
                let (banning, banned) =
                    if stance.is_negated { (terms, &parsed[*other]) } else { (&parsed[*other], terms) };
                if counterpart.is_negated == stance.is_negated {
                    common.same += 1;
                } else if stance.is_antonym || mentions_ban(banning, banned) {
                    let (negated, wanted) =
                        if stance.is_negated { (stance, counterpart) } else { (counterpart, stance) };
                    common.contrary += 1;
                    common.has_harm |= negated.is_harmful && !wanted.is_in_ban;
                    common.has_banned_verb |= negated.is_head && wanted.is_first && mentions_whole_ban(banning, banned);
                    common.has_reversal |= stance.is_antonym || is_only_ban(banning);
                    common.is_whole_ban |= mentions_whole_ban(banning, banned);
                }
            }
            before.push((at, *stance));
        }
        for (other, common) in shared[..at].iter().enumerate().filter(|(_, common)| common.has_any) {
            let shorter = terms.len().min(parsed[other].len());
            if common.are_opposite(shorter) || claims[at].are_contrary(&claims[other]) {
                opposites[at].push(other);
                opposites[other].push(at);
            }
        }
    }
    opposites.iter_mut().for_each(|others| others.sort_unstable());
    opposites
}

/// The words of a text.
type StatementTerms = BTreeMap<String, Stance>;

/// Whether a text mentions something that the other one bans, if it bans anything by name.
fn mentions_ban(banning: &StatementTerms, mentioning: &StatementTerms) -> bool {
    let mut heads = banning.iter().filter(|(_, stance)| stance.is_head).peekable();
    heads.peek().is_none() || heads.any(|(head, _)| mentioning.contains_key(head))
}

/// Whether a text mentions more than two thirds of what the other one negates, and some of it without a negation.
fn mentions_whole_ban(banning: &StatementTerms, mentioning: &StatementTerms) -> bool {
    let banned = || banning.iter().filter(|(_, stance)| stance.is_negated);
    let mentioned = banned().filter(|(term, _)| mentioning.contains_key(*term)).count();
    mentioned * 3 > banned().count() * 2
}

/// Whether a text negates a part only: `store dates in UTC, never in local time`.
fn is_only_ban(banning: &StatementTerms) -> bool {
    banning.values().any(|stance| !stance.is_negated) && !banning.values().any(|stance| stance.is_head)
}

#[cfg(test)]
mod tests;
