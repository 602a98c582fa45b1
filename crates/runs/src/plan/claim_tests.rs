use super::*;
use proptest::prelude::*;

const NONCE: &str = "0123456789abcdef0123456789abcdef";

fn at(seconds: u64) -> Timestamp {
    Timestamp::parse("2026-05-01T12:00:00Z").unwrap().plus(Duration::from_secs(seconds))
}

fn process(pid: u32) -> ClaimProcess {
    ClaimProcess { pid, start: Some(7), namespace: Some("pid:[1]".to_owned()) }
}

/// A claim of `w1` in boot `b1` with a time to live of 100 seconds.
fn claim(process: Option<ClaimProcess>) -> Claim {
    Claim::new(NewClaim {
        plan: "login",
        step: "api",
        holder: "w1",
        host: "h".to_owned(),
        boot: Some("b1".to_owned()),
        process,
        attempt: 2,
        ttl: Duration::from_secs(100),
        time: at(0),
        uptime: None,
        renewals: 0,
        nonce: NONCE.to_owned(),
    })
}

fn observer<'a>(boot: &'a str, now: u64, first_seen: Option<u64>, is_running: Option<bool>) -> ClaimObserver<'a> {
    let now = at(now);
    let first_seen = first_seen.map(at);
    ClaimObserver {
        holder: Some("w2"),
        process: None,
        boot: Some(boot),
        now,
        uptime: None,
        first_seen,
        is_running,
        has_decision: false,
    }
}

fn is_free(state: ClaimState) -> bool {
    matches!(state, ClaimState::HolderEnded | ClaimState::Expired)
}

#[test]
fn texts_round_trip() {
    let claim = claim(Some(process(42)));
    let text = claim.to_text();
    assert_eq!(Claim::parse(text.as_bytes()), Some(claim.clone()));
    assert!(text.contains("\"time\": \"2026-05-01T12:00:00Z\""), "{text}");
    // A later version may add keys.
    let more = text.replacen('{', "{\"colour\": \"red\",", 1);
    assert_eq!(Claim::parse(more.as_bytes()), Some(claim));
    for (from, to) in
        [("claim/v1", "claim/v2"), ("\"w1\"", "\"\""), (NONCE, "../../x"), ("2026-05-01", "soon"), ("}", "")]
    {
        assert_eq!(Claim::parse(text.replace(from, to).as_bytes()), None, "{from} -> {to}");
    }
    assert_eq!(Claim::parse(b"\xff"), None);
}

#[test]
fn a_claim_is_free_when_its_holder_ended_or_its_time_is_over() {
    let held = |seconds: u64| ClaimState::Held { until: at(seconds) };
    let with = Some(process(42));
    for (process, seen_by, state) in [
        // The same boot: the process decides, then the holder's clock, which is the observer's own.
        (&with, observer("b1", 1, Some(1), Some(false)), ClaimState::HolderEnded),
        (&with, observer("b1", 1, Some(1), Some(true)), held(100)),
        (&with, observer("b1", 1, Some(1), None), held(100)),
        (&with, observer("b1", 100, Some(99), Some(true)), ClaimState::Expired),
        (&None, observer("b1", 99, None, None), held(100)),
        (&None, observer("b1", 100, None, None), ClaimState::Expired),
        // A claim without a process does not end with one.
        (&None, observer("b1", 1, None, Some(false)), held(100)),
        // Another boot: only what the observer saw counts.
        (&with, observer("b2", 1, Some(1), Some(false)), held(101)),
        (&with, observer("b2", 5_000, None, None), held(5_100)),
        (&with, observer("b2", 5_000, Some(4_901), None), held(5_001)),
        (&with, observer("b2", 5_000, Some(4_900), None), ClaimState::Expired),
        // The observer's clock was set back.
        (&None, observer("b2", 10, Some(50), None), held(110)),
    ] {
        assert_eq!(claim_state(Some(&claim(process.clone())), &seen_by), state, "{process:?} {seen_by:?}");
    }
}

#[test]
fn a_holder_may_renew_its_own_claim() {
    let own = |of: Option<ClaimProcess>, by: Option<&ClaimProcess>, is_running| {
        let observer = ClaimObserver { holder: Some("w1"), process: by, ..observer("b1", 1, None, is_running) };
        claim_state(Some(&claim(of)), &observer)
    };
    assert_eq!(own(None, None, None), ClaimState::Own);
    assert_eq!(own(Some(process(42)), Some(&process(42)), Some(true)), ClaimState::Own);
    // Another process with the same name is a rival.
    assert_eq!(own(Some(process(42)), Some(&process(43)), Some(true)), ClaimState::Held { until: at(100) });
    assert_eq!(own(Some(process(42)), None, Some(true)), ClaimState::Held { until: at(100) });
    assert_eq!(own(Some(process(42)), Some(&process(43)), Some(false)), ClaimState::HolderEnded);
    let same = process(42);
    let elsewhere = Some(process(42));
    let other_boot =
        ClaimObserver { holder: Some("w1"), process: Some(&same), ..observer("b2", 1, Some(1), Some(true)) };
    assert_eq!(claim_state(Some(&claim(elsewhere)), &other_boot), ClaimState::Held { until: at(101) });
    let nobody = ClaimObserver { holder: None, ..observer("b1", 1, None, None) };
    assert_eq!(claim_state(Some(&claim(None)), &nobody), ClaimState::Held { until: at(100) });
}

#[test]
fn unreadable_claims_are_respected_for_a_day() {
    let day = 24 * 3600;
    assert_eq!(claim_state(None, &observer("b1", 9, Some(9), Some(false))), ClaimState::Held { until: at(day + 9) });
    assert_eq!(claim_state(None, &observer("b1", day + 9, Some(9), None)), ClaimState::Expired);
}

#[test]
fn no_claim_is_held_for_more_than_a_week_after_it_was_seen() {
    let week = MAX_CLAIM_TTL.as_secs();
    let claim = Claim { ttl: u64::MAX, ..claim(None) };
    assert_eq!(claim_state(Some(&claim), &observer("b2", week, Some(0), None)), ClaimState::Expired);
    assert!(!is_free(claim_state(Some(&claim), &observer("b2", week - 1, Some(0), None))));
}

proptest! {
    #[test]
    fn property_every_claim_has_a_text(
        holder in ".{1,40}", plan in ".*", step in ".*", attempt: u64, ttl: u64, pid: u32, start: Option<u64>, renewals: u64,
    ) {
        let process = Some(ClaimProcess { pid, start, namespace: None });
        let claim = Claim { holder, plan, step, attempt, ttl, process, renewals, ..claim(None) };
        prop_assert_eq!(Claim::parse(claim.to_text().as_bytes()), Some(claim));
    }

    #[test]
    fn property_a_foreign_clock_never_matters(made in 0_u64..1_000_000, now in 0_u64..10_000, ago in 0_u64..200) {
        let claim = Claim { time: at(made), ..claim(Some(process(1))) };
        let state = claim_state(Some(&claim), &observer("b2", now + ago, Some(now), Some(false)));
        prop_assert_eq!(is_free(state), ago >= 100);
    }

    #[test]
    fn property_a_claim_that_is_free_stays_free(now in 0_u64..10_000, seen in 0_u64..10_000, later in 0_u64..10_000) {
        let state = |now| claim_state(Some(&claim(None)), &observer("b2", now, Some(seen), None));
        if is_free(state(now)) {
            prop_assert!(is_free(state(now + later)));
        }
    }

    #[test]
    fn property_a_renewed_claim_is_the_same_claim_in_another_object(now in 0_u64..10_000) {
        let claim = claim(None);
        let renewed = claim.renewed(at(now), None);
        prop_assert_eq!(&renewed.nonce, &claim.nonce);
        prop_assert_ne!(renewed.to_text(), claim.to_text());
    }
}

/// The wall clock is set forward by an hour while the holder works.
#[test]
fn a_clock_that_is_set_takes_no_claim_away() {
    let claim = Claim { uptime: Some(1_000), ..claim(Some(process(42))) };
    let state = |uptime: u64| {
        let observer = ClaimObserver { uptime: Some(uptime), ..observer("b1", 3_600, Some(0), Some(true)) };
        claim_state(Some(&claim), &observer)
    };
    assert_eq!(state(1_010), ClaimState::Held { until: at(3_690) });
    assert_eq!(state(1_100), ClaimState::Expired);
    assert_eq!(claim.renewed(at(3_600), Some(1_090)).uptime, Some(1_090));
}

#[test]
fn the_claim_of_a_complete_step_is_free_for_whoever_has_the_work() {
    let done = claim(Some(process(42))).completed("abc".to_owned());
    assert_eq!(Claim::parse(done.to_text().as_bytes()), Some(done.clone()));
    // A later attempt tells nobody to forget the decision before it.
    let reopened = Claim { follows: Some("abc".to_owned()), ..claim(Some(process(42))) };
    for claim in [&done, &reopened, &reopened.released(None), &reopened.announced("def".to_owned())] {
        for (has_decision, want) in [(false, ClaimState::Decided), (true, ClaimState::Expired)] {
            let observer = ClaimObserver { has_decision, ..observer("b1", 9_000, Some(0), None) };
            assert_eq!(claim_state(Some(claim), &observer), want);
        }
    }
    let held = claim_state(Some(&reopened), &observer("b1", 1, Some(0), Some(true)));
    assert_eq!(held, ClaimState::Held { until: at(100) });
}
