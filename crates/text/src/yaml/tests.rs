#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

fn root(text: &str) -> Node {
    parse(text, 0).expect("valid YAML").root
}

#[test]
fn scalars_follow_the_core_schema() {
    let table = [
        ("2024", "number"),
        ("0o17", "number"),
        ("1.5e3", "number"),
        ("+3", "number"),
        ("true", "boolean"),
        ("yes", "string"),
        ("0777x", "string"),
        ("1.0.0", "string"),
        ("2026-03-06", "string"),
        ("~", "empty value"),
        ("'1'", "string"),
        ("!!str 1", "string"),
    ];
    for (text, kind) in table {
        assert_eq!(root(&format!("a: {text}\n")).get("a").map(Node::kind_name), Some(kind), "{text}");
    }
}

#[test]
fn spans_match_the_text() {
    let text = "name: é\nlist:\n  - a\n  - 'b c'\nmap: {x: 1}\n";
    let root = root(text);
    let at = |pointer: &str| {
        let (node, key) = root.at_pointer(pointer).unwrap();
        (&text[node.span.range()], key.map(|k| &text[k.range()]))
    };
    assert_eq!(at("/name"), ("é", Some("name")));
    assert_eq!(at("/list/1"), ("'b c'", None));
    assert_eq!(at("/list"), ("- a\n  - 'b c'", Some("list")));
    assert_eq!(at("/map"), ("{x: 1}", Some("map")));
    assert_eq!(at("/map/x"), ("1", Some("x")));
}

#[test]
fn records_duplicate_keys_and_keeps_the_first_value() {
    let document = parse("a: 1\nb: 2\na: 3\n", 0).unwrap();
    assert_eq!(document.root.get("a").unwrap().as_scalar().unwrap().text, "1");
    let [duplicate] = document.duplicates.as_slice() else { unreachable!("one duplicate") };
    assert_eq!((duplicate.key.as_str(), duplicate.span.offset, duplicate.first.offset), ("a", 10, 0));
}

#[test]
fn rejects_several_or_unbounded_documents() {
    let bomb = {
        let mut text = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for i in 1..9 {
            let previous = vec![format!("*a{}", i - 1); 10].join(",");
            text.push_str(&format!("a{i}: &a{i} [{previous}]\n"));
        }
        text
    };
    let deep = format!("a: {}", "[".repeat(100_000));
    let nested = format!("{}x", "- ".repeat(70));
    for (text, want) in [
        ("a: b: c\n", "mapping"),
        ("a: 1\n---\nb: 2\n", "second YAML document"),
        ("a: !include x\n", "not supported"),
        ("? [a]\n: b\n", "plain text"),
        (bomb.as_str(), "expands to more"),
        (deep.as_str(), "recursion"),
        (nested.as_str(), "deeper"),
    ] {
        let message = parse(text, 0).expect_err(want).message;
        assert!(message.contains(want), "{message:?} should contain {want:?}");
    }
}

#[test]
fn rejects_tabs_as_indentation() {
    assert!(parse("metadata:\n\tauthor: a\n", 0).is_err());
}

proptest! {
    #[test]
    fn never_panics_and_spans_stay_inside(text in "[ -~\n\té*&:{}\\[\\]|>'\"#-]{0,200}") {
        fn inside(node: &Node, text: &str) -> bool {
            let own = text.get(node.span.range()).is_some();
            own && match &node.value {
                NodeValue::Scalar(_) => true,
                NodeValue::Sequence(items) => items.iter().all(|item| inside(item, text)),
                NodeValue::Mapping(m) => m.entries.iter().all(|e| text.get(e.key_span.range()).is_some() && inside(&e.value, text)),
            }
        }
        match parse(&text, 0) {
            Ok(document) => prop_assert!(inside(&document.root, &text)),
            Err(e) => prop_assert!(e.span.end() <= text.len()),
        }
    }
}

#[test]
fn finds_comments_but_not_hashes_in_values() {
    let text = "# a\r\nb: 'x # no' # c\nd: |\n  # no\n  e#no\n  # f\ng: [1, # h\n  2]\ni: j#no\n#k";
    let found: Vec<&str> = comments(text, 0).into_iter().map(|span| &text[span.range()]).collect();
    assert_eq!(found, ["# a", "# c", "# h", "#k"]);
    assert_eq!(comments(text, 10)[0].offset, 10);
}

#[test]
fn comments_stop_at_a_syntax_error() {
    let text = "# a\nb: c: d\n# e\n";
    let found: Vec<&str> = comments(text, 0).into_iter().map(|span| &text[span.range()]).collect();
    assert_eq!(found, ["# a"]);
}

proptest! {
    #[test]
    fn comment_spans_stay_inside(text in "[ -~\n\té#:|]{0,120}") {
        prop_assert!(comments(&text, 0).iter().all(|span| text.get(span.range()).is_some()));
    }
}
