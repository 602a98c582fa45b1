//! The words of a text that say what it is about: stems, without anything that differs from one occurrence to the next.

use canonry_text::terms::{is_stop_word, stem};
use std::ops::Range;

/// Words that only affirm what follows.
const AFFIRMATIONS: &str = " always do ensure keep let make must please prefer shall should sure use using ";

/// Words that negate the next few words of their clause.
const NEGATIONS: &str = " aren't avoid can't cannot didn't doesn't don't dont forbid isn't mustn't neither never no \
    none nor not refuse shouldn't skip stop wasn't weren't without won't wouldn't ";

/// Words before the alternative that is not wanted.
const ALTERNATIVES: &str = " instead rather ";

/// Pairs of words that negate like one of [`NEGATIONS`]: `stay away from the staging cluster`.
const NEGATING_PAIRS: [[&str; 2]; 3] = [["away", "from"], ["clear", "of"], ["move", "off"]];

/// Participles that ban what their clause is about: `automatic retries are forbidden`.
const BANS: &str = " banned disallowed forbidden prohibited ";

/// Verbs and predicates that say what is bad about something: `a rollback destroys evidence`.
const HARMS: &str = " bloat bloats break breaks broke clutter clutters confuse confuses corrupt corrupts destroy destroys drift \
    drifts hide hides hurt hurts leak leaked leaks lose loses lost mask masks mislead misleads rot rots slow slows ";

/// The same after a copula or `make`: `large diffs are unreadable`, `globals make tests fragile`.
const BAD: &str = " brittle dangerous expensive flaky fragile hard harder impossible misleading noisy painful risky slow slower \
    unreadable unreliable unsafe useless wrong ";

/// Words that begin a reason.
const REASONS: &str = " as because since ";

/// Words of a subject that is bad because something is missing.
const ABSENCE: &str = " few lack lacking lacks missing stale too without ";

/// A ban that one of these follows is a condition: `never deploy without a backup` is not against deploying.
const CONDITIONS: &str = " before unless until without ";

/// Words after which the negation of a participle is about the whole clause: `generated clients are not committed`.
const COPULAS: &str = " are be is was were ";

/// Negations that contain such a word.
const NEGATED_COPULAS: &str = " aren't isn't wasn't weren't ";

/// Words with which `out of` negates a clause: `keep lock files out of the repository`.
const KEEPING: &str = " keep kept leave stay stays ";

/// Verbs after which a negation is about the whole clause: `secrets do not belong in the image`.
const BELONGING: [&str; 3] = ["belong", "belongs", "be"];

/// Words that negations reach.
const NEGATION_REACH: usize = 4;

/// Antonyms: the second word means the negated first.
const ANTONYMS: [(&str, &str); 20] = [
    ("accept", "reject"),
    ("add", "remove"),
    ("after", "before"),
    ("allow", "deny"),
    ("automatic", "manual"),
    ("eager", "lazy"),
    ("enable", "disable"),
    ("enable", "off"),
    ("enabled", "disabled"),
    ("enabling", "disabling"),
    ("faster", "slower"),
    ("include", "exclude"),
    ("increase", "decrease"),
    ("later", "earlier"),
    ("long", "short"),
    ("more", "fewer"),
    ("public", "private"),
    ("raise", "lower"),
    ("safe", "unsafe"),
    ("show", "hide"),
];

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StatementWord {
    /// The stem; of two antonyms, that of the first.
    pub stem: String,
    /// Whether the text negates it.
    pub is_negated: bool,
    /// Whether it is what a negation is about: the word right after it.
    pub is_negated_head: bool,
    /// Whether it is one of two antonyms.
    pub is_antonym: bool,
    /// Whether it is what the text calls harmful, to give a reason for doing something else.
    pub is_harmful: bool,
    /// Whether its clause negates anything.
    pub is_in_ban: bool,
}

/// The characters of a text that count. What an episode is about is said at its beginning; the rest of a text as long as this
/// is quoted output.
const MAX_CHARACTERS: usize = 4096;

/// The words of a text in order. Numbers, versions, hashes, ticket ids and paths are left out.
pub(super) fn words(text: &str) -> Vec<StatementWord> {
    let end = text.char_indices().nth(MAX_CHARACTERS).map_or(text.len(), |(end, _)| end);
    let lowered = text[..end].replace('’', "'").to_lowercase();
    let mut found = Vec::new();
    for clause in clauses(&lowered) {
        let tokens: Vec<&str> = tokens(clause).collect();
        let negation = Negation::find(&tokens);
        let is_in_ban = tokens.iter().any(|token| is_negation(token));
        let harmful = harmful_subject(&tokens, found.is_empty());
        let mut reach = 0usize;
        let mut is_head = false;
        for (at, token) in tokens.iter().enumerate() {
            if negation.is_at(token) || (at > 0 && starts_pair(&tokens[at - 1..])) {
                // `without` limits what is wanted; it bans nothing by itself.
                (reach, is_head) = (negation.reach(), negation.reach() > 0 && *token != "without");
                continue;
            }
            let head = found.len();
            if !is_masked(token) {
                let is_harmful = harmful.contains(&at);
                let is_negated = reach > 0 || negation == Negation::Clause || is_harmful;
                found.extend(parts(token, is_negated).map(|word| StatementWord { is_harmful, is_in_ban, ..word }));
                if is_head && let Some(word) = found.get_mut(head) {
                    word.is_negated_head = true;
                }
            }
            is_head = false;
            reach = reach.saturating_sub(1);
        }
    }
    found
}

fn starts_pair(tokens: &[&str]) -> bool {
    NEGATING_PAIRS.iter().any(|pair| tokens.starts_with(pair))
}

/// The positions of what a clause calls harmful, if that is a reason: the clause follows another one, or `because`.
fn harmful_subject(tokens: &[&str], is_first: bool) -> Range<usize> {
    let reason = tokens.iter().position(|token| contains(REASONS, token)).map(|at| at + 1);
    let start = if is_first { reason } else { reason.or(Some(0)) };
    let Some(start) = start else { return 0..0 };
    let is_bad = |at: usize| {
        let links = |token: &&str| contains(COPULAS, token) || matches!(*token, "make" | "makes");
        contains(HARMS, tokens[at]) || (links(&tokens[at]) && tokens[at + 1..].iter().any(|token| contains(BAD, token)))
    };
    let end = (start + 1..tokens.len()).find(|at| is_bad(*at));
    let is_absence = |token: &&str| is_negation(token) || contains(ABSENCE, token);
    end.filter(|end| !tokens[start..*end].iter().any(is_absence)).map_or(0..0, |end| start..end)
}

fn is_negation(token: &str) -> bool {
    contains(NEGATIONS, token) || contains(ALTERNATIVES, token)
}

/// Whether a word only negates what follows.
pub(super) fn only_negates(word: &str) -> bool {
    contains(NEGATIONS, word)
}

/// Whether a word only affirms what follows, or says nothing.
pub(super) fn says_nothing(word: &str) -> bool {
    is_stop_word(word) || contains(AFFIRMATIONS, word)
}

/// The first of two antonyms, and whether the word is the second.
pub(super) fn antonym(word: &str) -> Option<(&'static str, bool)> {
    let pair = ANTONYMS.iter().find(|(first, second)| *first == word || *second == word);
    pair.map(|(first, second)| (*first, *second == word))
}

/// The words of a clause, without the punctuation around them.
pub(super) fn tokens(clause: &str) -> impl Iterator<Item = &str> {
    let tokens = clause.split(|c: char| c.is_whitespace() || "[]{}\"`<>|".contains(c));
    tokens.map(|token| token.trim_matches(['.', ':', '\'', '*', '_', '-'])).filter(|token| !token.is_empty())
}

/// Negation of a clause's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Negation {
    /// Not at all, or under a condition.
    Conditional,
    /// The words after each negation.
    Words {
        /// Whether the clause prefers something: `prefer rebase over merge`.
        prefers: bool,
    },
    /// All words.
    Clause,
}

impl Negation {
    fn find(tokens: &[&str]) -> Self {
        let negation = tokens.iter().position(|token| is_negation(token));
        let is_condition = |at: usize| tokens[at + 1..].iter().any(|token| contains(CONDITIONS, token));
        let is_passive = |at: usize| tokens.get(at + 1).is_some_and(|token| token.ends_with("ed"));
        let is_kept_out = || {
            let keeps = tokens.iter().any(|token| contains(KEEPING, token));
            keeps && tokens.windows(2).any(|pair| pair == ["out", "of"])
        };
        match negation {
            Some(at) if is_condition(at) => Self::Conditional,
            // `without an index the query is slow` explains; it bans nothing.
            Some(0) if tokens[0] == "without" => Self::Conditional,
            Some(at) if tokens.get(at + 1).is_some_and(|next| BELONGING.contains(next)) => Self::Clause,
            Some(at) if contains(NEGATED_COPULAS, tokens[at]) && is_passive(at) => Self::Clause,
            // `show what is not uploaded` wants to show something.
            Some(at)
                if at > 0
                    && tokens[at] == "not"
                    && contains(COPULAS, tokens[at - 1])
                    && is_passive(at)
                    && !tokens[..at].contains(&"what") =>
            {
                Self::Clause
            }
            None if is_kept_out() || tokens.iter().any(|token| contains(BANS, token)) => Self::Clause,
            _ => Self::Words { prefers: tokens.contains(&"prefer") },
        }
    }

    /// Whether a negation starts with this token.
    fn is_at(self, token: &str) -> bool {
        match self {
            Self::Words { prefers } => is_negation(token) || (prefers && token == "over"),
            Self::Conditional | Self::Clause => is_negation(token),
        }
    }

    fn reach(self) -> usize {
        if matches!(self, Self::Words { .. }) { NEGATION_REACH } else { 0 }
    }
}

/// The parts of a text that one negation can reach.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let sentences = text.split([',', ';', '!', '?', '(', ')', '\n']);
    sentences.flat_map(|part| part.split(". ")).flat_map(|part| part.split(": ")).flat_map(|part| part.split(" - "))
}

/// Whether a token names one occurrence: it has a digit, or is a path.
fn is_masked(token: &str) -> bool {
    let slashes = token.matches('/').count();
    token.chars().any(char::is_numeric)
        || slashes > 1
        || (slashes == 1 && (token.contains('.') || token.starts_with('/')))
}

fn parts(token: &str, is_negated: bool) -> impl Iterator<Item = StatementWord> {
    let words = token.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter_map(move |word| {
        let antonyms = antonym(word);
        let (word, is_second) = antonyms.unwrap_or((word, false));
        let is_topic = word.len() > 1 && (antonyms.is_some() || !says_nothing(word));
        is_topic.then(|| StatementWord {
            stem: stem(word).into_owned(),
            is_negated: is_negated != is_second,
            is_negated_head: false,
            is_antonym: antonyms.is_some(),
            is_harmful: false,
            is_in_ban: false,
        })
    })
}

/// Whether a list of words between spaces has this word.
fn contains(list: &str, word: &str) -> bool {
    let bytes = list.as_bytes();
    list.match_indices(word).any(|(at, _)| {
        at > 0
            && bytes[at - 1] == b' '
            && bytes.get(at + word.len()).is_some_and(|byte| *byte == b' ')
            && !word.contains(' ')
    })
}

#[cfg(test)]
mod tests {
    use super::words;

    fn shown(text: &str) -> String {
        let word = |word: super::StatementWord| if word.is_negated { format!("!{}", word.stem) } else { word.stem };
        words(text).into_iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn occurrences_are_masked() {
        for (text, want) in [
            ("Rotated key 3f9a1c2 of OPS-42 in v1.2.3", "rotat key"),
            ("see src/a/b.rs:12 and https://x.example/y for #480", "see"),
            ("the `cache` was stale, again", "cach stale"),
            ("read-only replicas", "read replica"),
            ("", ""),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
    }

    #[test]
    fn negations_reach_the_words_after_them_in_their_clause() {
        for (text, want) in [
            ("never rotate keys, rotate logs", "!rotat !key rotat log"),
            ("Don’t cache tokens", "!cach !token"),
            ("enable caching", "enabl cach"),
            ("disable caching", "!enabl cach"),
            ("do not disable caching", "enabl !cach"),
            ("prefer rebase over merge", "rebas !merg"),
            ("all over the docs", "doc"),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
    }

    #[test]
    fn a_clause_can_be_negated_as_a_whole_or_under_a_condition_only() {
        for (text, want) in [
            ("generated clients are not committed, build them", "!generat !client !commit build"),
            ("renewal is not automatic", "renew !automat"),
            ("keep keys out of the image", "!key !imag"),
            ("run out of keys", "run key"),
            ("never deploy without a backup", "deploy backup"),
            ("do not merge until the build has passed", "merg build pass"),
            ("deploy without a backup", "deploy !backup"),
            ("without an index the query is slow", "index queri slow"),
            ("keys do not belong into the image", "!key !belong !imag"),
            ("show what is not uploaded", "show !upload"),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
    }
}
