use super::*;
use proptest::prelude::*;

fn params(ruleset: Ruleset) -> DreamParams {
    let policy = match ruleset {
        Ruleset::Seed => MemoryPolicy::seed(),
        Ruleset::Current => MemoryPolicy::default(),
    };
    DreamParams { now: Timestamp::parse("2026-05-01T03:00:00Z").unwrap(), policy, ruleset }
}

fn dream(log: &str, ruleset: Ruleset) -> DreamDecision {
    consolidate(ParsedLog::parse(log, ruleset), &params(ruleset))
}

fn row(id: &str, at: &str, action: &str, pain: f64) -> String {
    format!(
        "{{\"id\":\"{id}\",\"timestamp\":\"{at}\",\"action\":\"{action}\",\"pain_score\":{pain},\"importance\":10,\"reflection\":\"of {id}\"}}\n"
    )
}

fn ids(decision: &DreamDecision, rows: impl IntoIterator<Item = usize>) -> Vec<String> {
    rows.into_iter().map(|at| decision.row_id(at)).collect()
}

#[test]
fn salient_patterns_are_promoted_by_first_appearance() {
    let log = row("b1", "2026-04-30", "b", 8.0)
        + &row("a1", "2026-04-30", "a", 4.0)
        + &row("a2", "2026-04-30", "a", 9.0)
        + &row("c1", "2026-04-30", "c", 10.0)
        + &row("b2", "2026-04-30", "b", 8.0)
        + &row("d1", "2026-04-30", "d", 3.0)
        + &row("d2", "2026-04-30", "d", 3.0);
    for ruleset in [Ruleset::Seed, Ruleset::Current] {
        let decision = dream(&log, ruleset);
        assert_eq!(ids(&decision, decision.promoted.iter().map(|p| p.best)), ["b1", "a2"], "{ruleset:?}");
        assert_eq!(ids(&decision, decision.promoted[1].rows.clone()), ["a1", "a2"]);
    }
}

#[test]
fn the_seed_key_is_fifty_characters_of_the_action() {
    let same = "é".repeat(50) + "a";
    let other = "é".repeat(50) + "b";
    let log = row("1", "2026-04-30", &same, 9.0) + &row("2", "2026-04-30", &other, 9.0);
    assert_eq!(dream(&log, Ruleset::Seed).promoted.len(), 1);
    let log = row("1", "2026-04-30", &same[2..], 9.0) + &row("2", "2026-04-30", &other[2..], 9.0);
    assert_eq!(dream(&log, Ruleset::Seed).promoted.len(), 0);
}

#[test]
fn old_rows_leave_unless_they_are_salient() {
    let log = row("trivial", "2026-01-30T02:59:59Z", "a", 1.0)
        + &row("border", "2026-01-31T03:00:00Z", "b", 1.0)
        + &row("terrible", "2026-01-30", "c", 10.0)
        + &row("terrible2", "2026-01-30", "c", 10.0)
        + &row("terrible3", "2026-01-30", "c", 10.0);
    let left = |ruleset| {
        let decision = dream(&log, ruleset);
        ids(&decision, decision.archived.clone())
    };
    assert_eq!(left(Ruleset::Seed), ["trivial", "terrible", "terrible2", "terrible3"]);
    // The best of the three has the salience of the pattern, and the others stay as its witnesses.
    assert_eq!(left(Ruleset::Current), ["trivial"]);
}

/// A failure as a hook logs it, or with what an agent learned from it.
fn failure(id: &str, at: &str, pain: u8, reflection: &str) -> String {
    let (reflection, importance) =
        if reflection.is_empty() { (String::new(), 7) } else { (format!(",\"reflection\":\"{reflection}\""), 5) };
    format!(
        "{{\"id\":\"{id}\",\"timestamp\":\"{at}\",\"action\":\"make test\",\"result\":\"failure\",\"pain_score\":{pain},\"importance\":{importance}{reflection}}}\n"
    )
}

#[test]
fn only_a_row_with_a_reflection_becomes_a_lesson() {
    let bare = failure("b1", "2026-04-30T00:00:00Z", 8, "") + &failure("b2", "2026-05-01T00:00:00Z", 8, "");
    let decision = dream(&bare, Ruleset::Current);
    assert_eq!(decision.promoted, []);
    assert_eq!(ids(&decision, decision.unexplained[0].rows.clone()), ["b1", "b2"]);
    // The bare rows outweigh the one that says what to learn, but have nothing to teach.
    let taught = bare.clone() + &failure("t1", "2026-05-01T01:00:00Z", 7, "build first");
    let decision = dream(&taught, Ruleset::Current);
    assert_eq!(ids(&decision, decision.promoted.iter().map(|pattern| pattern.best)), ["t1"]);
    assert_eq!(decision.unexplained, []);
    // A blank reflection is none, and the seed knows no difference.
    assert_eq!(dream(&(bare.clone() + &failure("t1", "2026-05-01T01:00:00Z", 7, " ")), Ruleset::Current).promoted, []);
    assert_eq!(dream(&bare, Ruleset::Seed).promoted.len(), 1);
    assert_eq!(dream(&bare, Ruleset::Seed).unexplained, []);
}

#[test]
fn a_late_dream_learns_what_a_dream_in_time_would_have_learned() {
    let at_the_threshold =
        |first: &str, last: &str| failure("a", first, 7, "build first") + &failure("b", last, 7, "build first");
    for (first, last, want) in [
        ("2026-04-30T20:00:00Z", "2026-04-30T21:00:00Z", 1),
        ("2026-04-29T20:00:00Z", "2026-04-29T21:00:00Z", 1),
        ("2026-04-24T20:00:00Z", "2026-04-24T21:00:00Z", 1),
        ("2026-04-20T20:00:00Z", "2026-04-20T21:00:00Z", 0),
        ("2026-04-20T20:00:00Z", "2026-04-29T21:00:00Z", 1),
    ] {
        assert_eq!(dream(&at_the_threshold(first, last), Ruleset::Current).promoted.len(), want, "{first} {last}");
    }
}

proptest! {
    /// A second dream at the same time changes nothing.
    #[test]
    fn a_second_dream_archives_nothing(
        drawn in prop::collection::vec((0..5u8, 60..200i64, 1..=10u8, 1..=10u8, 1..=4u8), 0..40),
        weight in prop::sample::select(vec![0.0, 0.5, 1.0, 2.0]),
    ) {
        let now = Timestamp::parse("2026-05-01T03:00:00Z").unwrap();
        let line = |(action, age, pain, importance, recurrence): &(u8, i64, u8, u8, u8)| format!(
            "{{\"timestamp\":\"{}\",\"action\":\"{action}\",\"pain_score\":{pain},\"importance\":{importance},\"recurrence_count\":{recurrence}}}\n",
            now.minus_days(*age),
        );
        let log: Vec<String> = drawn.iter().map(line).collect();
        let weights = canonry_model::config::SalienceWeights { recurrence: weight, ..Default::default() };
        let policy = MemoryPolicy::from_config(&canonry_model::config::MemoryConfig { weights, ..Default::default() });
        for (ruleset, policy) in [(Ruleset::Current, policy), (Ruleset::Seed, MemoryPolicy::seed())] {
            let params = DreamParams { now, policy, ruleset };
            let dream = |log: &str| consolidate(ParsedLog::parse(log, ruleset), &params);
            let first = dream(&log.concat());
            let kept: String = (0..log.len()).filter(|at| !first.archived.contains(at)).map(|at| log[at].as_str()).collect();
            prop_assert_eq!(dream(&kept).archived, Vec::<usize>::new());
        }
    }
}

#[test]
fn rows_without_an_id_get_one() {
    let anonymous = "{\"timestamp\":\"2026-04-30\"}\n";
    let log = format!("{anonymous}\n{{\"timestamp\":\"2026-04-30\"}}\r\n[]\n{{\"timestamp\": \"2026-04-30\"}}");
    let names = |ruleset| {
        let decision = dream(&log, ruleset);
        ids(&decision, 0..decision.log.rows.len())
    };
    assert_eq!(names(Ruleset::Seed), ["L1", "L3", "L5"]);
    let names = names(Ruleset::Current);
    assert_eq!(names[1], format!("{}-2", names[0]));
    assert!(names[0] != names[2] && names[0].len() == 16);
}

#[test]
fn departing_lines_are_in_log_order() {
    let log = "oops\n".to_owned() + &row("old", "2020-01-01", "a", 1.0) + "[]\n" + &row("new", "2026-04-30", "a", 1.0);
    let decision = dream(&log, Ruleset::Current);
    let offsets: Vec<u64> = decision.departing_lines().iter().map(|line| line.extent().offset).collect();
    let want: Vec<u64> = ["oops", "{\"id\":\"old", "[]"].iter().map(|text| log.find(text).unwrap() as u64).collect();
    assert_eq!((offsets, decision.kept()), (want, 1));
    assert_eq!(decision.log.invalid[1].line, 3);
}

fn successes(results: &[(&str, &str)]) -> Option<Vec<usize>> {
    let line = |(result, reflection): &(&str, &str)| {
        serde_json::json!({
            "timestamp": "2026-05-01T00:00:00Z", "action": "rotate the key", "result": result, "reflection": reflection,
        })
        .to_string()
            + "\n"
    };
    let log: String = results.iter().map(line).collect();
    let rows = ParsedLog::parse(log, Ruleset::Current).rows;
    repeated_successes(&rows, &(0..rows.len()).collect::<Vec<_>>())
}

#[test]
fn three_equal_results_and_a_reflection_are_needed() {
    let ok = "success";
    let how = "revoke the old one last";
    assert_eq!(successes(&[(ok, how), (ok, ""), (ok, "")]), Some(vec![0, 1, 2]));
    assert_eq!(successes(&[("failure", how), (ok, how), (ok, ""), ("", ""), (ok, "")]), Some(vec![1, 2, 4]));
    assert_eq!(successes(&[("partly", how), ("partly", ""), (ok, ""), ("partly", "")]), Some(vec![0, 1, 3]));
    for too_little in [
        &[(ok, how), (ok, how)][..],
        &[(ok, ""), (ok, " "), (ok, "")],
        &[("failure", how), ("failure", how), ("failure", how)],
        &[(ok, how), ("partly", how), ("failure", how)],
        &[("", how), ("", how), ("", how)],
    ] {
        assert_eq!(successes(too_little), None, "{too_little:?}");
    }
}
