use super::*;
use proptest::prelude::*;
use serde_json::json;

fn lookup(name: &str) -> Option<Json> {
    let fields = json!({
        "passed": true, "failed": false, "score": 0.9, "count": 12, "coverage": "80%", "kind": "bug", "none": null,
        "labels": ["bug", "ui"], "id": 9_007_199_254_740_993_u64, "day": "2026-05-01", "nested": {"a": 1},
        "review.score": 7, "version": "10"
    });
    fields.get(name).cloned()
}

fn holds(condition: &str, keywords: &[&str]) -> Result<bool, ExpressionError> {
    let keywords: Vec<String> = keywords.iter().map(|word| (*word).to_owned()).collect();
    evaluate(condition, &lookup, &keywords)
}

#[test]
fn conditions_hold() {
    for (condition, want) in [
        ("APPROVED", true),
        ("NEEDS-WORK", false),
        ("passed", true),
        ("NOT passed", false),
        ("!failed", true),
        ("! ! passed", true),
        ("score >= 0.9", true),
        ("score>0.9", false),
        ("score == 90%", false),
        ("coverage >= 80", true),
        ("coverage > 9", true),
        ("coverage == 80.0%", true),
        ("version > 9", true),
        ("version == '10.0'", true),
        ("count = 12", true),
        ("count != 12", false),
        ("count in [1, 12]", true),
        ("count in[1,2]", false),
        ("id == 9007199254740992", false),
        ("id == 9007199254740993", true),
        ("kind == bug", true),
        ("kind == \"bug\"", true),
        ("kind != 'two words'", true),
        ("kind in ['two words', bug]", true),
        ("labels in [ui, api]", true),
        ("labels in [api]", false),
        ("day > 2026-04-30", true),
        ("none == null", true),
        ("none != null", false),
        ("none == bug", false),
        ("passed == TRUE", true),
        ("passed != true", false),
        ("review.score >= 7", true),
        ("failed OR passed AND failed", false),
        ("passed OR passed AND failed", true),
        ("(passed OR passed) AND failed", false),
        ("NOT failed AND NOT (failed OR failed)", true),
        ("NOT(failed)and passed", true),
        ("failed||passed&&score>0.5", true),
        ("(score>0.5)&&(kind==bug)", true),
        ("((APPROVED))", true),
    ] {
        assert_eq!(holds(condition, &["APPROVED"]), Ok(want), "{condition}");
    }
}

#[test]
fn conditions_without_a_value_are_errors() {
    for (condition, want) in [
        ("gone", "the field `gone` is missing"),
        ("gone > 3", "the field `gone` is missing"),
        ("gone != 3 OR passed", "the field `gone` is missing"),
        ("other.score > 3", "the field `other.score` is missing"),
        ("score", "the field `score` is used as a boolean, but is a number"),
        ("none", "the field `none` is used as a boolean, but is null"),
        ("kind > 3", "the field `kind` is a text and cannot be compared with `3`"),
        ("score > high", "the field `score` is a number and cannot be compared with `high`"),
        ("passed == yes", "the field `passed` is a boolean and cannot be compared with `yes`"),
        ("passed > 0", "the field `passed` is a boolean and cannot be compared with `0`"),
        ("none > 0", "the field `none` is null and cannot be compared with `0`"),
        ("labels == bug", "the field `labels` is a list and cannot be compared with `bug`"),
        ("nested in [1]", "the field `nested` is an object and cannot be compared with `1`"),
    ] {
        assert_eq!(holds(condition, &[]).map_err(|error| error.to_string()), Err(want.to_owned()), "{condition}");
    }
    for condition in [
        "",
        "()",
        "(",
        ")",
        "passed)",
        "(passed",
        "looks good to me",
        "passed AND",
        "passed passed",
        "passed (passed)",
        ">= 3",
        "score >=",
        "score >= = 3",
        "a === b",
        "kind == 'open",
        "kind in bug",
        "kind in [bug",
        "kind in []",
        "kind == [bug]",
        "max(score) > 1",
        "passed & passed",
        "NOT",
    ] {
        let is_keyword = condition == "NOT";
        assert_eq!(Expression::parse(condition).is_ok(), is_keyword, "{condition}");
    }
}

#[test]
fn nesting_has_no_limit() {
    let deep = format!("{}passed{}", "(".repeat(200_000), ")".repeat(200_000));
    assert_eq!(holds(&deep, &[]), Ok(true));
    assert_eq!(holds(&format!("{}passed", "NOT ".repeat(200_001)), &[]), Ok(false));
    assert!(holds(&"passed AND ".repeat(50_000), &[]).is_err());
}

/// A random expression with the value that it must have.
fn expression() -> impl Strategy<Value = (String, bool)> {
    let leaf = prop_oneof![
        Just(("passed".to_owned(), true)),
        Just(("failed".to_owned(), false)),
        Just(("YES".to_owned(), true)),
        Just(("NO".to_owned(), false)),
        (0..20).prop_map(|number| (format!("count >= {number}"), 12 >= number)),
    ];
    leaf.prop_recursive(6, 40, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|(text, value)| (format!("NOT ({text})"), !value)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| (format!("({}) AND ({})", a.0, b.0), a.1 && b.1)),
            (inner.clone(), inner).prop_map(|(a, b)| (format!("({})||({})", a.0, b.0), a.1 || b.1)),
        ]
    })
}

proptest! {
    #[test]
    fn random_expressions_have_their_value((text, want) in expression()) {
        prop_assert_eq!(holds(&text, &["YES"]), Ok(want), "{}", text);
    }

    #[test]
    fn no_text_panics(text in "([()!&|<>=\\[\\],'\" ]|AND|OR|NOT|in|passed|score|é|0\\.5|%){0,20}") {
        let _ = holds(&text, &["passed"]);
    }

    #[test]
    fn no_unicode_text_panics(text in any::<String>()) {
        let _ = holds(&text, &[]);
    }
}
