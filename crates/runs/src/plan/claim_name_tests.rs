use super::*;
use proptest::prelude::*;

fn name(plan: &str, step: &str) -> ClaimName {
    ClaimName::new(&RepoPath::default(), plan, step)
}

#[test]
fn names_are_readable_where_git_allows_it() {
    for (step, encoded) in [
        ("api", "api"),
        ("step-1_b", "step-1_b"),
        ("1.2", "1.2"),
        ("a/b", "a%2fb"),
        ("A", "%41"),
        ("a.lock", "a%2elock"),
        ("a.lock.b", "a.lock.b"),
        (".a", "%2ea"),
        ("a.", "a%2e"),
        ("a..b", "a%2e%2eb"),
        ("a@{1}", "a%40%7b1%7d"),
        ("100%", "100%25"),
        ("ü", "%c3%bc"),
        ("", "%"),
    ] {
        assert_eq!(name("login", step).reference(), format!("refs/canonry/claims/login/{encoded}"), "{step}");
    }
}

#[test]
fn nested_canons_have_names_of_their_own() {
    let nested = ClaimName::new(&RepoPath::from("packages/web"), "login", "api");
    assert_eq!(nested.to_string(), "packages%2fweb%2flogin/api");
}

#[test]
fn long_ids_are_hashed_and_stay_different() {
    let one = name("p", &"x".repeat(5_000));
    let two = name("p", &"x".repeat(5_001));
    assert_ne!(one, two);
    assert!(one.reference().len() < 250 && one.step_id().is_none());
    // The longest id that is not hashed cannot equal a hashed one.
    assert_eq!(name("p", &"x".repeat(MAX_LENGTH)).step_id(), Some("x".repeat(MAX_LENGTH)));
}

#[test]
fn other_texts_are_not_names() {
    for text in ["", "a", "a/", "/a", "a/b/c", "../a", "a/..", "a/B", "a/b c", "a/.b", "a/b.lock", "a/\u{fc}"] {
        assert_eq!(ClaimName::parse(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn property_every_id_has_a_valid_reference_of_its_own(ids in proptest::collection::vec(".{0,90}|[aA.]{1,4}(lock)?", 2..6)) {
        for (at, id) in ids.iter().enumerate() {
            let claim = name(id, id);
            let reference = claim.reference();
            prop_assert!(gix_validate::reference::name(reference.as_str().into()).is_ok(), "{reference}");
            prop_assert_eq!(ClaimName::parse(&claim.to_string()), Some(claim.clone()));
            prop_assert!(claim.is_of_step(id));
            if let Some(step) = claim.step_id() {
                prop_assert_eq!(&step, id);
            }
            for other in ids.iter().take(at).filter(|other| *other != id) {
                let other = name("p", other).reference().to_lowercase();
                prop_assert_ne!(name("p", id).reference().to_lowercase(), other);
            }
        }
    }
}
