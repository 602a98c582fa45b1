//! Claims of a text besides its words: which of two contrary effects it wants, what comes first, and what is better.

use super::words::{StatementWord, tokens, words};
use canonry_text::terms::stem;
use std::collections::BTreeSet;

/// Pairs of contrary effects: words that want one, and words that want the other.
const EFFECTS: [(&str, &str); 23] = [
    (
        "keep kept retain preserve stay stays survive leave leaves",
        "delete deletes deleted remove removes removed drop discard purge prune",
    ),
    (
        "allow allows allowed permit accept accepts",
        "deny denies block blocks blocked forbid reject rejects refuse prohibit ban",
    ),
    ("enable enables enabled enabling activate", "disable disables disabled disabling deactivate off"),
    ("increase raise raises grow extend higher longer", "decrease lower lowers reduce reduces shrink shorten shorter"),
    ("include includes", "exclude excludes omit"),
    ("show shows display reveal", "hide hides conceal"),
    ("automatic automatically automated pipeline unattended", "manual manually hand human laptop"),
    ("strict strictly tight", "lenient leniently permissive loose relaxed generous"),
    ("parallel concurrently simultaneously", "sequential sequentially serially another"),
    ("together bulk", "separately individually time"),
    (QUANTITIES, "many several multiple two three"),
    ("share shared shares", "separate own dedicated isolated per"),
    ("public publicly", "private privately"),
    ("eager eagerly", "lazy lazily"),
    ("synchronous synchronously", "asynchronous asynchronously async"),
    ("full complete entire", "partial"),
    ("real live", "mock mocks mocked fake stub"),
    ("start starts", "stop stops"),
    ("early earlier sooner", "late later"),
    ("global globally", "local locally"),
    ("safe", "unsafe"),
    ("verbose", "quiet terse"),
    ("crash crashes abort", "continue continues ignore swallow"),
];

/// One, as opposed to several.
const QUANTITIES: &str = "single one";

/// Words that permit something in general, and words that restrict the same to a case.
const PERMISSIONS: &str =
    " all allowed any anyone anywhere enough every everywhere fine immediately may okay soon whole ";
const RESTRICTIONS: &str = " just nobody only ";

/// Words of what follows `first`.
const FOLLOWING: [&str; 5] = ["then", "afterwards", "later", "after", "next"];

/// Prefixes that negate the rest of a word.
const NEGATIVE_PREFIXES: [&str; 3] = ["un", "non", "de"];
/// Minimum letters of the stem after such a prefix, and of a stem that another one starts with.
const MIN_STEM: usize = 3;
/// Topic words on each side of an effect that it is about.
const EFFECT_REACH: usize = 3;
/// Topic words after a verb that can be its object: an adjective and a noun.
const OBJECT_REACH: usize = 2;

/// The claims of a text.
#[derive(Debug, Default)]
pub(super) struct Claims {
    effects: Vec<Effect>,
    sequences: Vec<Relation>,
    preferences: Vec<Relation>,
    /// The stems that a prefix negates: `pin` of `unpinned`.
    prefixed: BTreeSet<String>,
    stems: BTreeSet<String>,
    /// Whether something is right in general.
    permits: bool,
    /// Whether something is right in one case only.
    restricts: bool,
}

/// One of two contrary effects, and the stems near the word.
#[derive(Debug)]
struct Effect {
    pair: usize,
    is_second: bool,
    about: BTreeSet<String>,
    /// The stems right after the word: the object of a verb.
    object: BTreeSet<String>,
}

/// Two sides of a relation: what comes before what, or what is better than what.
#[derive(Debug)]
struct Relation {
    first: BTreeSet<String>,
    second: BTreeSet<String>,
}

impl Claims {
    pub fn parse(text: &str) -> Self {
        let lowered = text.replace('’', "'").to_lowercase();
        let mut claims = Self { stems: stems(&lowered), ..Self::default() };
        for sentence in lowered.split(['.', ';', '!', '?', '\n']) {
            let tokens: Vec<&str> = sentence.split_whitespace().collect();
            claims.sequences.extend(sequence(&tokens));
            claims.preferences.extend(preference(&tokens));
            // Under a condition or an exception, both effects can be right.
            if !tokens.iter().any(|token| matches!(*token, "only" | "unless" | "until" | "without")) {
                claims.effects.extend(effects(sentence));
            }
        }
        let has = |list: &str| tokens(&lowered).any(|token| list.split(' ').any(|word| word == token));
        (claims.permits, claims.restricts) = (has(PERMISSIONS), has(RESTRICTIONS));
        claims.prefixed = claims.stems.iter().flat_map(|stem| without_prefix(stem)).collect();
        claims
    }

    /// Whether two texts claim contrary things: a reversed order or preference, or, with half of their words in common, contrary
    /// effects or a word and its negation by a prefix.
    pub fn are_contrary(&self, other: &Self) -> bool {
        let is_reversed = |one: &[Relation], two: &[Relation]| one.iter().any(|a| two.iter().any(|b| a.is_reverse(b)));
        let has_effects = !self.effects.is_empty() && !other.effects.is_empty();
        let has_contrary_effect = || has_effects && self.contrary_effects(other).next().is_some();
        let negates_word = || self.negates_word_of(other) || other.negates_word_of(self);
        is_reversed(&self.sequences, &other.sequences)
            || is_reversed(&self.preferences, &other.preferences)
            || ((has_contrary_effect() || negates_word()) && self.shares_half(other))
            || (has_effects && self.contrary_effects(other).any(|(one, two)| !one.object.is_disjoint(&two.object)))
            || self.restricts_what_is_permitted(other)
            || other.restricts_what_is_permitted(self)
    }

    /// Whether a text restricts to a case what the other one permits in general.
    fn restricts_what_is_permitted(&self, other: &Self) -> bool {
        if !self.restricts || !other.permits || other.restricts {
            return false;
        }
        let common = self.stems.intersection(&other.stems).count();
        common > 1 && common * 3 >= self.stems.len().min(other.stems.len())
    }

    fn contrary_effects<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a Effect, &'a Effect)> {
        let clear = |claims: &'a Self| claims.effects.iter().filter(|effect| !claims.wants_both(effect));
        let pairs = clear(self).flat_map(move |one| clear(other).map(move |two| (one, two)));
        pairs.filter(|(one, two)| {
            one.pair == two.pair && one.is_second != two.is_second && !one.about.is_disjoint(&two.about)
        })
    }

    fn shares_half(&self, other: &Self) -> bool {
        let common = self.stems.intersection(&other.stems).count();
        common * 2 >= self.stems.len().min(other.stems.len())
    }

    /// Whether a text mentions both sides of a pair, so that it is not clear what it wants.
    fn wants_both(&self, effect: &Effect) -> bool {
        let has = |is_second| self.effects.iter().any(|own| own.pair == effect.pair && own.is_second == is_second);
        has(true) && has(false)
    }

    fn negates_word_of(&self, other: &Self) -> bool {
        self.prefixed.iter().any(|stem| other.stems.contains(stem) && !self.stems.contains(stem))
    }
}

impl Relation {
    fn new(first: &[&str], second: &[&str]) -> Option<Self> {
        let first = stems(&first.join(" "));
        let second = stems(&second.join(" "));
        let one = first.iter().filter(|stem| !second.contains(*stem)).cloned().collect::<BTreeSet<_>>();
        let two = second.iter().filter(|stem| !first.contains(*stem)).cloned().collect::<BTreeSet<_>>();
        (!one.is_empty() && !two.is_empty()).then_some(Self { first: one, second: two })
    }

    /// Whether each side of one has words of the contrary side of the other, and fewer of the same side.
    fn is_reverse(&self, other: &Self) -> bool {
        let shared = |one: &BTreeSet<String>, two: &BTreeSet<String>| {
            one.iter().filter(|a| two.iter().any(|b| is_same_word(a, b))).count()
        };
        let one = shared(&self.first, &other.second);
        let two = shared(&self.second, &other.first);
        let same = shared(&self.first, &other.first) + shared(&self.second, &other.second);
        one > 0 && two > 0 && one + two > same
    }
}

/// `lint` and `linter` are one word.
fn is_same_word(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    short == long || (short.len() > MIN_STEM && long.len() <= short.len() + 2 && long.starts_with(short))
}

fn stems(text: &str) -> BTreeSet<String> {
    words(text).into_iter().filter(|word| !is_order_word(word)).map(|word| word.stem).collect()
}

fn is_order_word(word: &StatementWord) -> bool {
    matches!(word.stem.as_str(), "after" | "afterward" | "later")
}

/// The effects of the words of a sentence.
fn effects(sentence: &str) -> Vec<Effect> {
    let mut found = Vec::new();
    for clause in sentence.split([',', ':', '(', ')']) {
        let tokens: Vec<&str> = clause.split_whitespace().map(|token| token.trim_matches(['`', '"', '\''])).collect();
        for (at, token) in tokens.iter().enumerate() {
            let is_on = *token == "on" && at > 0 && matches!(tokens[at - 1], "turn" | "turned" | "switch" | "switched");
            let token = if is_on { "enable" } else { token };
            let side = |list: &str| list.split(' ').any(|word| word == token);
            let pair = EFFECTS.iter().position(|(one, other)| side(one) || side(other));
            let Some(pair) = pair else { continue };
            let is_negated = words(clause).iter().any(|word| word.is_negated && *word.stem == *stem(token));
            // `not one query per row` does not want several queries.
            if is_negated && EFFECTS[pair].0 == QUANTITIES {
                continue;
            }
            let is_second = side(EFFECTS[pair].1) != is_negated;
            let object = stems_after(&tokens, at).take(OBJECT_REACH).collect();
            found.push(Effect { pair, is_second, about: near(&tokens, at), object });
        }
    }
    found
}

/// The stems next to a word.
fn near(tokens: &[&str], at: usize) -> BTreeSet<String> {
    let before = tokens[..at].iter().rev().flat_map(|token| stems_of(token)).take(EFFECT_REACH);
    before.chain(stems_after(tokens, at).take(EFFECT_REACH)).collect()
}

fn stems_after(tokens: &[&str], at: usize) -> impl Iterator<Item = String> {
    tokens[at + 1..].iter().flat_map(|token| stems_of(token))
}

fn stems_of(token: &str) -> Vec<String> {
    words(token).into_iter().map(|word| word.stem).collect()
}

/// `A before B`, `B after A`, `A first, then B`, `not B until A`.
fn sequence(tokens: &[&str]) -> Option<Relation> {
    let bare = bare(tokens);
    let comma = tokens.iter().position(|token| token.ends_with(','));
    let first = bare.iter().position(|token| *token == "first");
    let and = first.and_then(|first| Some(first + bare[first..].iter().position(|token| *token == "and")?));
    if let (Some(first), Some(and)) = (first, and)
        && bare[and..].iter().any(|token| FOLLOWING.contains(token))
    {
        return Relation::new(&bare[..first], &bare[and..]);
    }
    if let (Some(first), Some(comma)) = (first, comma)
        && first <= comma
        && bare[comma + 1..].iter().any(|token| FOLLOWING.contains(token))
    {
        return Relation::new(&bare[..=comma], &bare[comma + 1..]);
    }
    let at = bare.iter().position(|token| matches!(*token, "before" | "after" | "once" | "until"))?;
    let (left, right) = if at == 0 {
        let comma = comma?;
        (&bare[comma + 1..], &bare[1..=comma])
    } else {
        let end = (at..bare.len()).find(|end| tokens[*end].ends_with(',')).map_or(bare.len(), |end| end + 1);
        (&bare[..at], bare.get(at + 1..end)?)
    };
    let is_negated = left.iter().any(|token| matches!(*token, "never" | "not" | "don't" | "no" | "avoid"));
    let left_is_first = match bare[at] {
        "before" => !is_negated,
        "after" => is_negated,
        "until" if !is_negated => return None,
        _ => false,
    };
    if left_is_first { Relation::new(left, right) } else { Relation::new(right, left) }
}

/// `prefer A over B`, `A instead of B`, `A rather than B`, `A beats B`: the better one first.
fn preference(tokens: &[&str]) -> Option<Relation> {
    let bare = bare(tokens);
    let prefers = bare.iter().any(|token| matches!(*token, "prefer" | "choose" | "favor" | "favour"));
    let at = (1..bare.len()).find(|at| {
        let next = bare.get(at + 1).copied();
        match bare[*at] {
            "over" => prefers,
            "instead" => next == Some("of"),
            "rather" => next == Some("than"),
            "than" => matches!(bare[at - 1], "better" | "safer" | "easier"),
            "beats" | "beat" => true,
            _ => false,
        }
    })?;
    Relation::new(&bare[..at], &bare[at + 1..])
}

fn bare<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    tokens.iter().map(|token| token.trim_matches(|c: char| !c.is_alphanumeric())).collect()
}

/// The stem that a negative prefix of this one negates.
fn without_prefix(stem_of: &str) -> Option<String> {
    let rest = NEGATIVE_PREFIXES.iter().find_map(|prefix| stem_of.strip_prefix(prefix))?;
    (rest.len() >= MIN_STEM).then(|| stem(rest).into_owned())
}

#[cfg(test)]
mod tests {
    use super::Claims;

    fn are_contrary(one: &str, other: &str) -> bool {
        let one = Claims::parse(one);
        let other = Claims::parse(other);
        assert_eq!(one.are_contrary(&other), other.are_contrary(&one));
        one.are_contrary(&other)
    }

    #[test]
    fn orders_preferences_and_effects_can_be_contrary() {
        for (one, other) in [
            ("tag the release before building the image", "tag the release after building the image"),
            ("tag the release before building the image", "Before tagging the release, build the image"),
            ("build first, then tag", "tag first, build afterwards"),
            ("do not tag until the image is built", "tag before the image is built"),
            ("prefer queues over cron jobs", "cron jobs beat queues"),
            ("cron jobs rather than queues", "queues instead of cron jobs"),
            ("keep old snapshots for a year", "delete old snapshots"),
            ("turn on query logging", "query logging stays off"),
            ("run the checks in parallel", "run the checks one after another"),
            ("sign the packages of a build", "leave packages of a build unsigned"),
        ] {
            assert!(are_contrary(one, other), "{one} / {other}");
        }
    }

    #[test]
    fn agreement_and_other_subjects_are_not_contrary() {
        for (one, other) in [
            ("tag the release before building the image", "do not build the image before tagging the release"),
            ("tag the release before building the image", "push the image after building it"),
            ("tag the release before building the image", "tag the release before building the docs"),
            ("prefer queues over cron jobs", "queues instead of cron jobs"),
            ("keep old snapshots for a year", "delete temporary tables of the import"),
            ("show the count, hide the list", "hide the count, show the list of names"),
            ("delete snapshots only when they are a year old", "keep snapshots for a year"),
            ("understand the query before tuning it", "stand up the database"),
            ("fetch the rows in one query", "join tables instead of one query per row"),
            ("before", "after"),
            ("", "first, then"),
        ] {
            assert!(!are_contrary(one, other), "{one} / {other}");
        }
    }
}
