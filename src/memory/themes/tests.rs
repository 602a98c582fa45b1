use super::*;
use crate::config::Promotion;
use proptest::prelude::*;
use std::collections::HashMap;

/// Problems of a team, each as actions and reflections that mix freely.
const THEMES: [(&str, &[&str], &[&str]); 6] = [
    (
        "backups",
        &[
            "restore of the nightly backup failed, archive truncated",
            "could not restore the backup of ledger-7",
            "backup archive from 2026-02-11 was empty",
        ],
        &[
            "test a restore of every backup, not only the copy",
            "a backup counts when a restore has been tested",
            "check the archive size after each backup",
        ],
    ),
    (
        "translations",
        &[
            "german labels overflowed the invoice dialog",
            "button label cut off in finnish translation",
            "dialog 42 unreadable with long translated labels",
        ],
        &[
            "lay out dialogs for labels that are half as long again",
            "try the longest translation of a label before release",
            "labels wrap, dialogs grow with the translation",
        ],
    ),
    (
        "certificates",
        &[
            "tls certificate of gateway expired at night",
            "partner calls rejected, certificate expired on node-3",
            "expired certificate on the gateway",
        ],
        &[
            "renew certificates a month before they expire",
            "alert on certificate expiry, renewal is not automatic",
            "put the expiry date of each certificate in the calendar",
        ],
    ),
    (
        "uploads",
        &[
            "large upload timed out behind the proxy",
            "video upload aborted after 60 s",
            "proxy closed the upload of a 2 GB file",
        ],
        &[
            "send large uploads in resumable chunks",
            "chunk uploads, the proxy limits the body",
            "resume uploads instead of sending the body again",
        ],
    ),
    (
        "vendoring",
        &[
            "dependency mirror was down during the build",
            "build of app-12 blocked by the registry mirror",
            "mirror outage stopped the nightly build",
        ],
        &[
            "always vendor the dependencies of the build",
            "vendor dependencies so that the mirror can fail",
            "vendored dependencies keep the build going",
        ],
    ),
    (
        "not vendoring",
        &[
            "vendored dependency had a known hole",
            "clone takes ages, vendored dependencies are 3 GB",
            "scanner skipped the vendored dependencies",
        ],
        &[
            "never vendor the dependencies of the build",
            "do not vendor dependencies, pin them in the lock file",
            "avoid vendored dependencies, scanners cannot see them",
        ],
    ),
];

fn texts() -> (Vec<ThemeText>, Vec<&'static str>) {
    let (mut texts, mut labels) = (Vec::new(), Vec::new());
    for (label, actions, reflections) in THEMES {
        for (at, action) in actions.iter().enumerate() {
            for reflection in [reflections[at], reflections[(at + 1) % reflections.len()]] {
                texts.push(ThemeText {
                    action: (*action).to_owned(),
                    reflection: reflection.to_owned(),
                    ..ThemeText::default()
                });
                labels.push(label);
            }
        }
    }
    (texts, labels)
}

fn pairs(labels: impl Iterator<Item = &'static str>) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    labels.for_each(|label| *counts.entry(label).or_default() += 1);
    counts.into_values().map(|count| count * (count - 1) / 2).sum()
}

#[test]
fn themes_have_high_precision_and_recall() {
    let (texts, labels) = texts();
    let themes = Themes::group(&texts);
    let expected = pairs(labels.iter().copied());
    let correct: usize = themes.groups.iter().map(|group| pairs(group.iter().map(|text| labels[*text]))).sum();
    let grouped: usize = themes.groups.iter().map(|group| group.len() * (group.len() - 1) / 2).sum();
    let (precision, recall) = (correct as f64 / grouped as f64, correct as f64 / expected as f64);
    assert!(precision >= 0.9, "precision {precision} {:?}", themes.groups);
    assert!(recall >= 0.6, "recall {recall} {:?}", themes.groups);
}

#[test]
fn what_is_typical_of_a_theme_is_of_one_problem() {
    let (texts, labels) = texts();
    let themes = Themes::group(&texts);
    for group in &themes.groups {
        let typical = themes.typical(group);
        assert!(typical.iter().all(|text| labels[*text] == labels[typical[0]]), "{typical:?}");
    }
}

#[test]
fn candidates_join_what_is_known() {
    let (texts, labels) = texts();
    let themes = Themes::group(&texts);
    let of = |label: &str| -> Vec<usize> { (0..texts.len()).filter(|at| labels[*at] == label).collect() };
    let texts_of = |label: &str, at: usize| vec![of(label)[at]];
    let known =
        |kind: KnownKind, label: &str| KnownTheme { kind, texts: vec![of(label)[0]], has_pending_addition: false };
    let texts = [texts_of("backups", 1), texts_of("uploads", 0), texts_of("uploads", 1), texts_of("backups", 3)];
    let triage = |known: &[KnownTheme], promotion: Promotion, becomes_lesson: bool| {
        let candidate =
            |texts: &Vec<usize>| ThemeCandidate { texts: texts.clone(), kept: texts.clone(), becomes_lesson };
        triage_themes(&themes, known, &texts.iter().map(candidate).collect::<Vec<_>>(), promotion, |_| false)
    };
    // A lesson gets one addition at a time.
    let lesson = [known(KnownKind::Lesson, "backups")];
    let found = triage(&lesson, Promotion::Review, false);
    assert_eq!((found.own, found.alike), (vec![1], vec![(0, Owner::Known(0))]));
    assert_eq!(found.covered, [(2, Owner::Candidate(1)), (3, Owner::Known(0))]);
    // What was rejected takes its theme with it.
    let rejected = [known(KnownKind::Decided, "backups")];
    let found = triage(&rejected, Promotion::Review, false);
    assert_eq!((found.own, found.alike), (vec![1], vec![]));
    // A pending theme stands for a candidate only if everything waits for review.
    let pending = [known(KnownKind::Pending, "backups")];
    assert_eq!(triage(&pending, Promotion::Auto, true).own, [0, 1]);
    assert_eq!(triage(&pending, Promotion::Review, false).own, [1]);
    // A candidate that becomes a lesson gets its addition at once.
    let found = triage(&[], Promotion::Auto, true);
    assert_eq!((found.own, found.covered), (vec![0, 1], vec![]));
    assert_eq!(found.alike, [(2, Owner::Candidate(1)), (3, Owner::Candidate(0))]);
}

/// What the next night knows, and the candidates that it still finds.
fn next_night(
    known: &[KnownTheme],
    candidates: &[ThemeCandidate],
    found: &ThemeTriage,
) -> (Vec<KnownTheme>, Vec<ThemeCandidate>) {
    let theme = |kind, texts: &[usize]| KnownTheme { kind, texts: texts.to_vec(), has_pending_addition: false };
    let mut lessons: Vec<KnownTheme> = known.to_vec();
    let mut waiting: Vec<KnownTheme> = Vec::new();
    let mut position = vec![0; candidates.len()];
    for at in &found.own {
        let candidate = &candidates[*at];
        if candidate.becomes_lesson {
            position[*at] = lessons.len();
            lessons.push(theme(KnownKind::Lesson, &candidate.kept));
        } else {
            waiting.push(theme(KnownKind::Pending, &candidate.kept));
        }
    }
    for (texts, _) in &found.groups {
        waiting.push(theme(KnownKind::Pending, &texts[..texts.len().min(5)]));
    }
    for (at, owner) in &found.alike {
        let lesson = match *owner {
            Owner::Known(at) => at,
            Owner::Candidate(at) => position[at],
        };
        lessons[lesson].has_pending_addition = true;
        waiting.push(theme(KnownKind::Pending, &candidates[*at].kept));
    }
    lessons.append(&mut waiting);
    let is_decided = |at: usize| found.own.contains(&at) || found.alike.iter().any(|(alike, _)| *alike == at);
    let rest = candidates.iter().enumerate().filter(|(at, _)| !is_decided(*at)).map(|(_, candidate)| candidate.clone());
    (lessons, rest.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Rules and reasons that mix freely: many texts resemble one another a little, so that what is added changes what is
    /// nearest.
    #[test]
    fn a_night_leaves_nothing_to_the_next(
        drawn in prop::collection::vec((0..18usize, 0..18usize, 0..12usize, 0..30usize), 10..90),
        known in prop::collection::vec((0..3usize, 0..90usize), 0..6),
        is_review: bool,
        untrusted in prop::collection::vec(any::<bool>(), 30),
    ) {
        let reflections: Vec<&str> = THEMES.iter().flat_map(|(_, _, reflections)| *reflections).copied().collect();
        let actions: Vec<&str> = THEMES.iter().flat_map(|(_, actions, _)| *actions).copied().collect();
        let text = |(reflection, action, skill, _): &(usize, usize, usize, usize)| ThemeText {
            skill: format!("s{skill}"),
            action: actions[*action].to_owned(),
            reflection: reflections[*reflection].to_owned(),
        };
        let themes = Themes::group(&drawn.iter().map(text).collect::<Vec<_>>());
        let promotion = if is_review { Promotion::Review } else { Promotion::Auto };
        let pattern = |number: usize| -> Option<ThemeCandidate> {
            let texts: Vec<usize> = (0..drawn.len()).filter(|at| drawn[*at].3 == number).collect();
            let kept = texts.iter().copied().take(5).collect();
            let becomes_lesson = !is_review && !untrusted[number];
            (!texts.is_empty()).then_some(ThemeCandidate { texts, kept, becomes_lesson })
        };
        let candidates: Vec<ThemeCandidate> = (0..30).filter_map(pattern).collect();
        let kinds = [KnownKind::Lesson, KnownKind::Pending, KnownKind::Decided];
        let of_kind = |kind: usize| known.iter().filter(move |(found, _)| *found == kind);
        let known: Vec<KnownTheme> = (0..3).flat_map(of_kind).map(|(kind, text)| KnownTheme {
            kind: kinds[*kind],
            texts: vec![text % drawn.len()],
            has_pending_addition: false,
        }).collect();
        let found = triage_themes(&themes, &known, &candidates, promotion, |_| true);
        let (known, rest) = next_night(&known, &candidates, &found);
        let next = triage_themes(&themes, &known, &rest, promotion, |_| true);
        prop_assert!(next.own.is_empty() && next.alike.is_empty() && next.groups.is_empty(), "{:?} after {:?}", next, found);
    }
}

#[test]
fn a_new_theme_needs_several_texts_and_salience() {
    let (texts, _) = texts();
    let themes = Themes::group(&texts);
    let all = triage_themes(&themes, &[], &[], Promotion::Review, |_| true).groups;
    // A theme near another one is not staged by itself.
    assert!(
        (5..=THEMES.len()).contains(&all.len())
            && all.iter().all(|(typical, total)| !typical.is_empty() && *total >= 5),
        "{all:?}"
    );
    assert_eq!(triage_themes(&themes, &[], &[], Promotion::Review, |_| false).groups, []);
    assert_eq!(Themes::group(&[]).groups, Vec::<Vec<usize>>::new());
    let (one, other) = (Themes::group(&texts), Themes::group(&texts));
    assert_eq!(one.groups, other.groups);
}

/// Lessons of one skill often share a word. That is no reason to review only one of them.
#[test]
fn lessons_that_all_differ_are_staged() {
    let lessons: Vec<ThemeText> = include_str!("../../../fixtures/memory/topics.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let (skill, rest) = line.split_once('\t')?;
            let (action, reflection) = rest.split_once('\t')?;
            Some(ThemeText { skill: skill.to_owned(), action: action.to_owned(), reflection: reflection.to_owned() })
        })
        .collect();
    let texts: Vec<ThemeText> = lessons.iter().flat_map(|lesson| vec![lesson.clone(); 3]).collect();
    let themes = Themes::group(&texts);
    let candidate = |at: usize| {
        let texts: Vec<usize> = (3 * at..3 * at + 3).collect();
        ThemeCandidate { kept: texts.clone(), texts, becomes_lesson: false }
    };
    let candidates: Vec<ThemeCandidate> = (0..lessons.len()).map(candidate).collect();
    let found = triage_themes(&themes, &[], &candidates, Promotion::Review, |_| true);
    let covered = found.covered.iter().map(|(at, _)| &lessons[*at].reflection);
    assert!(found.own.len() * 10 >= lessons.len() * 9, "{:?}", covered.collect::<Vec<_>>());
}
