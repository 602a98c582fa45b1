#![allow(clippy::unwrap_used)]

use super::super::parse_any;
use super::*;
use proptest::prelude::*;
use proptest::sample::{Index, select};

const MAX_NODES: usize = 1_000;

/// The document that both parsers agree on; `None` if the fast one leaves the text to the other.
fn agreed(text: &str, max_nodes: usize) -> Option<ParsedDocument> {
    let fast = parse(text, 3, max_nodes)?;
    assert_eq!(Ok(&fast), parse_any(max_nodes, text, 3).as_ref(), "{text:?}");
    Some(fast)
}

#[test]
fn parses_what_people_write() {
    for text in [
        "a: 1\n",
        "a:\nb:   # c\nc: ''\n",
        "# x\n\na: 'it''s'\nb: \"a \\\"b\\\"\\n\"  \n",
        "steps:\n- id: a\n  deps: [b, 'c']\n\n- id: b\n  # c\n  deps: []\n  metadata: {a: 1, b: {c: d}}\n",
        "steps:\n  - - 1\n    - x: http://a/b#c\n  -\n    é: -1\ng:\n- a\n- b\n",
        "a: 1\nb: 2\na: 3\n",
        "a: it's # no\nb: c - d, [e]\nf: x:y\ng: --flag\n",
        "'a b': c\n\"d\": e",
        "- a\n- b",
    ] {
        assert!(agreed(text, MAX_NODES).is_some(), "{text:?}");
    }
}

#[test]
fn parses_long_lines() {
    let long = "a".repeat(3_000);
    let list = "b, ".repeat(2_000);
    for text in [
        format!("a: {long}\n- b\n"),
        format!("a: {long}\nb: '{long}'\nc: [{list}c]\n"),
        format!("- {long}\n- \"{long}\" # {long}\n- [{list}c]\n- c: {{d: {long}, e: [{list}f]}}\n"),
        format!("# {long}\n{}: b\n", "k".repeat(1_000)),
        format!("a: {{{}: [b], c: '{long}'}}\n", "k".repeat(1_000)),
    ] {
        assert_eq!(agreed(&text, 10_000).is_some(), !text.contains("\n- b"));
    }
}

#[test]
fn leaves_the_rest_to_the_general_parser() {
    let long = format!("{}: b\n", "a".repeat(1_100));
    for text in [
        "",
        "a",
        "a: b: c\n",
        "a: b\n  c\n",
        "a: |\n  b\n",
        "a: &b c\nd: *b\n",
        "a: !!str 1\n",
        "a:\tb\n",
        "a: b\r\n",
        "--- \na: b\n",
        "a: b\n...\n",
        "a: [b,\n  c]\n",
        "a: [b]: c\n",
        "a: 'b' c\n",
        "? a\n: b\n",
        "%YAML 1.2\n",
        "\u{feff}a: b\n",
        long.as_str(),
    ] {
        assert_eq!(parse(text, 0, MAX_NODES), None, "{text:?}");
    }
}

#[test]
fn counts_nodes_like_the_general_parser() {
    let text = "a: 1\nb: [x, {y: z}]\nb:\n";
    let least = (1..30).find(|max| parse_any(*max, text, 3).is_ok()).unwrap();
    assert!(agreed(text, least).is_some());
    assert_eq!(parse(text, 3, least - 1), None);
}

/// Lines that resemble those of block style, and a few that break it.
fn lines() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        8 => select(vec![
            "", "a", "b c", "1", "-1.5", "true", "~", "null", "'q ''r'''", "'x: y'", "\"a\\\"b\\n\"", "[]", "[a, b]", "[a,b ]", "[ 'a', \"b\", 1]", "{}",
            "{a: b}", "{a: [b, {c: d}], 'e': ~}", "http://x/y#z", "a#b", "src/é.rs", "--flag", "a: b", "é", "x,y", "a - b", "a:b", "- a", "-a",
        ]),
        2 => select(vec![
            "|", ">-", "&x a", "*x", "!!str a", "!t a", "[a,", "]", "{a}", "{a: }", "{'a':b}", "{a:b}", "[a: b]", "[a,]", "[,]", "[-]", "[- a]", "[a # b]", "'a", "\"a", "\"\\x41\"",
            "\"\\q\"", "'a' b", "'a'#b", "[a]#b", "[a] # b", "[a]b", "a:", "a :b", ":", "?", "? a", "@a", "`a`", "%a", "---", "--- a", "...", "a\\", "a\u{85}b", "\u{a0}a", "a\t", "\ta",
            "a\r", "<<", "=", "-", "- - b", "-\ta", "'a': b", "\"a\": b", "a : b", "[[a]]", "[[a], {b: [c]}]", "{a: 'b',c: d}", "{[a]: b}", "{a: b}: c",
            "a\u{2028}b", "\u{fffe}", "\u{7f}", "\u{0}",
        ]),
    ];
    let key = select(vec![
        "", "", "a: ", "b: ", "c d: ", "'k': ", "\"k\": ", "e:", "é: ", "k:  ", "k : ", "a:", "1: ", "~: ", "#: ",
        "-a: ", "...: ", "--- ",
    ]);
    let dashes = select(vec!["", "", "", "- ", "-  ", "- - ", "-"]);
    let end = select(vec![
        "\n",
        "\n",
        "\n",
        "\n",
        "  \n",
        " # c\n",
        "\n\n",
        "\n# c\n",
        "\n   # c\n",
        "\n  \n",
        "# c\n",
        "\r\n",
        "",
    ]);
    let line = (0..7_usize, dashes, key, value, end)
        .prop_map(|(indent, dashes, key, value, end)| format!("{}{dashes}{key}{value}{end}", " ".repeat(indent)));
    proptest::collection::vec(line, 1..7).prop_map(|lines| lines.concat())
}

/// A valid document in block style.
fn document() -> impl Strategy<Value = String> {
    let scalar = select(vec!["a", "b c", "'it''s'", "\"x\\n\"", "1", "true", "[a, 'b']", "{a: b, c: [d]}", "# c", ""]);
    let leaf = scalar.prop_map(|text| vec![format!(" {text}")]);
    // The first line continues that of the key or dash, the others are indented as a whole.
    let tree = leaf.prop_recursive(4, 24, 4, |inner| {
        let key = select(vec!["a", "b", "c d", "'e'", "é"]);
        let entries = proptest::collection::vec((key, inner.clone(), 0..3_usize), 1..4);
        let mapping = entries.prop_map(|entries| {
            let lines = entries.into_iter().flat_map(|(key, value, indent)| {
                let head = format!("{key}:{}", value[0]);
                let rest = value[1..].iter().map(move |line| format!("{}{line}", " ".repeat(indent + 1)));
                std::iter::once(head).chain(rest).collect::<Vec<_>>()
            });
            std::iter::once(String::new()).chain(lines).collect::<Vec<_>>()
        });
        let items = proptest::collection::vec((inner, 0..2_usize, any::<bool>()), 1..4);
        let sequence = items.prop_map(|items| {
            let lines = items.into_iter().flat_map(|(value, indent, is_inline)| {
                // `- a: b`: the first line of the value follows the dash.
                let is_inline = is_inline && value.len() > 1;
                let head = if is_inline { format!("- {}", value[1]) } else { format!("-{}", value[0]) };
                let skipped = if is_inline { 2 } else { 1 };
                let indent = if is_inline { 2 } else { indent + 1 };
                let rest = value[skipped..].iter().map(move |line| format!("{}{line}", " ".repeat(indent)));
                std::iter::once(head).chain(rest).collect::<Vec<_>>()
            });
            std::iter::once(String::new()).chain(lines).collect::<Vec<_>>()
        });
        prop_oneof![2 => mapping, 1 => sequence]
    });
    tree.prop_map(|lines| lines.join("\n"))
}

/// A document with a few characters inserted, removed or repeated.
fn mutated() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "", "", " ", "  ", "\n", "\n\n", "-", "- ", ":", ": ", "#", " #", "'", "\"", "\\", "[", "]", "{", "}", ",",
        ", ", "a", "1", "é", "|", ">", "&a ", "*a", "!", "?", "? ", "%", "@", "\t", "\r", "---\n", "...\n", "~",
        "\u{a0}", "\u{feff}", "\u{85}",
    ]);
    let change = (any::<Index>(), 0..4_usize, piece);
    (document(), proptest::collection::vec(change, 0..4)).prop_map(|(text, changes)| {
        let mut text: Vec<char> = text.chars().collect();
        for (at, removed, piece) in changes {
            let at = at.index(text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, piece.chars());
        }
        text.into_iter().collect()
    })
}

proptest! {
    #[test]
    fn agrees_on_valid_documents(text in document()) {
        agreed(&text, MAX_NODES);
    }

    #[test]
    fn agrees_on_lines(text in lines()) {
        agreed(&text, MAX_NODES);
    }

    #[test]
    fn agrees_on_mutations(text in mutated()) {
        agreed(&text, MAX_NODES);
    }

    #[test]
    fn agrees_on_any_text(text in "[ -~\n\té*&:{}\\[\\]|>'\"#-]{0,60}") {
        agreed(&text, MAX_NODES);
    }
}
