//! Pairs of opposite statements.

use super::find_near_opposites;

const PAIRS: &str = include_str!("../../../../fixtures/memory/opposites.tsv");

/// The opposite pairs that are found, and the others that are, of a part of the pairs; and the number of each.
fn count(part: &str) -> [usize; 3] {
    let found = |kind: &str| {
        let pairs = PAIRS.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let pairs = pairs.filter(|fields| fields.len() == 4 && fields[0] == part && fields[1] == kind);
        pairs.map(|pair| !find_near_opposites(&pair[2..])[0].is_empty()).collect::<Vec<bool>>()
    };
    let opposite = found("opposite");
    let different = found("different");
    assert_eq!(opposite.len(), different.len(), "{part}");
    let yes = |found: &[bool]| found.iter().filter(|is_opposite| **is_opposite).count();
    [yes(&opposite), yes(&different), opposite.len()]
}

#[test]
fn most_opposite_pairs_are_found_and_few_others() {
    for part in ["read", "tune", "hold"] {
        let [opposite, different, all] = count(part);
        assert!(all == 20 && opposite >= 16 && different <= 3, "{part}: {opposite} opposite pairs, {different} others");
    }
}

/// Most contradictions in free wording need knowledge that no word list has: `UUIDs as keys` and `sequential bigint keys`.
#[test]
fn some_opposites_in_free_wording_are_found_and_few_others() {
    for (part, least) in [("varied", 13), ("varied-hold", 8)] {
        let [opposite, different, all] = count(part);
        assert!(
            all == 30 && opposite >= least && different <= 1,
            "{part}: {opposite} opposite pairs, {different} others"
        );
    }
}

#[test]
fn a_negation_of_the_same_words_is_a_near_opposite() {
    for (one, other) in [
        ("always vendor the dependencies", "never vendor dependencies"),
        ("Use yarn", "do not use yarn"),
        ("vendored dependencies keep builds reproducible", "avoid vendoring dependencies, they bloat the clone"),
        ("enable the linter cache", "the linter cache must be disabled on CI"),
        ("run the linter before the formatter", "run the linter after the formatter"),
        ("prefer vendoring over mirrors", "mirrors rather than vendoring"),
        ("keep vendored code in the repository", "keep vendored code out of the repository"),
        ("vendored code is reviewed", "vendored code is not reviewed"),
    ] {
        assert_eq!(find_near_opposites(&[one, other]), [[1], [0]], "{one} / {other}");
    }
}

#[test]
fn different_topics_and_equal_stances_are_not() {
    let none: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    for (one, other) in [
        ("never vendor dependencies", "do not vendor the dependencies"),
        ("always vendor dependencies", "never rotate the keys"),
        ("never log the token of a user", "rotate keys, and mask the token in each of the traces of a failed request"),
        ("vendor the dependencies", "never patch dependencies"),
        ("vendor the dependencies", "never vendor dependencies without a license"),
        ("", "never"),
    ] {
        assert_eq!(find_near_opposites(&[one, other]), none, "{one} / {other}");
    }
}
