use super::*;
use proptest::prelude::*;
use serde_json::json;

fn path(text: &str) -> Vec<String> {
    text.split('.').map(str::to_owned).collect()
}

fn set(text: &str, at: &str, value: Value) -> String {
    let mut settings = JsonSettings::parse(text).unwrap();
    settings.set(&path(at), &value).unwrap();
    settings.text()
}

#[test]
fn a_new_key_follows_the_style_of_its_siblings() {
    for (text, want) in [
        ("{}\n", "{\n  \"k\": 1\n}\n"),
        ("{\"a\":1}", "{\"a\":1, \"k\": 1}"),
        ("{\n\t\"a\": 1 // one\n\t// two\n}", "{\n\t\"a\": 1, // one\n\t\"k\": 1\n\t// two\n}"),
        ("{\n    \"a\": 1,\n}", "{\n    \"a\": 1,\n    \"k\": 1,\n}"),
        ("{\r\n  \"a\": {}\r\n}", "{\r\n  \"a\": {},\r\n  \"k\": 1\r\n}"),
        ("{\n  // nothing yet\n}\n", "{\n  // nothing yet\n\n  \"k\": 1\n}\n"),
    ] {
        assert_eq!(set(text, "k", json!(1)), want, "{text:?}");
    }
}

#[test]
fn set_returns_the_created_containers() {
    let mut settings = JsonSettings::parse("{\n  \"a\": 1\n}\n").unwrap();
    let made = settings.set(&path("m.x"), &json!({"command": "c", "args": ["1"]})).unwrap();
    assert_eq!(made, vec![CreatedContainer { path: path("m"), empty: json!({}) }]);
    let want = "{\n  \"a\": 1,\n  \"m\": {\n    \"x\": {\n      \"command\": \"c\",\n      \"args\": [\n        \"1\"\n      ]\n    }\n  }\n}\n";
    assert_eq!(settings.text(), want);
    assert_eq!(settings.push(&path("p.allow"), &json!("q")).unwrap().len(), 2);
    assert_eq!(settings.items(&path("p.allow")), Ok(vec![json!("q")]));
}

#[test]
fn wrong_types_and_duplicate_keys_are_errors() {
    let mut settings = JsonSettings::parse("{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}}").unwrap();
    let before = settings.text();
    assert_eq!(settings.set(&path("a.b"), &json!(1)), Err(JsonPathError::WrongType("a".to_owned())));
    assert_eq!(settings.push(&path("a"), &json!(1)), Err(JsonPathError::WrongType("a".to_owned())));
    assert_eq!(settings.get(&path("b.c")), Err(JsonPathError::DuplicateKey("b.c".to_owned())));
    assert_eq!(settings.text(), before);
    for (bad, line) in
        [("{\n  \"a\" 1\n}", 2), ("[]", 1), ("", 1), ("// x", 1), ("{a: 1}", 1), ("{'a': 1}", 1), ("{\n\r}\n", 2)]
    {
        assert_eq!(JsonSettings::parse(bad).unwrap_err().line, line, "{bad}");
    }
    assert!(JsonSettings::parse(&"[".repeat(100_000)).is_err());
    // A comma behind half of a surrogate pair would be lost.
    assert_eq!(JsonSettings::parse("{\n\"a\": \"\\ud83d\"\n}").unwrap_err().line, 2);
}

/// White space and comments between two tokens.
fn trivia() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "",
        "",
        "",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\n  ",
        "\r\n\t",
        "/* c */",
        "// x\n",
        "// y\r\n  ",
        "\n\n",
    ]);
    prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

fn comma() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", ","])
}

/// A value of any type.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "-2.5e3",
        "true",
        "null",
        "\"a // b\"",
        "\"\\u00e9,}\"",
        "{}",
        "[]",
        "{ }",
        "[\n]",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(3, 12, 3, |inner| {
        let parts = || prop::collection::vec((trivia(), inner.clone(), trivia()), 1..3);
        let list = (parts(), trivia(), comma()).prop_map(|(parts, end, comma)| {
            let parts: Vec<String> = parts.into_iter().map(|(a, v, b)| format!("{a}{v}{b}")).collect();
            format!("[{}{comma}{end}]", parts.join(","))
        });
        let object = (parts(), trivia(), comma()).prop_map(|(parts, end, comma)| object(&parts, &end, comma));
        prop_oneof![list, object]
    })
}

fn object(parts: &[(String, String, String)], end: &str, comma: &str) -> String {
    let member = |(at, (a, v, b)): (usize, &(String, String, String))| format!("{a}\"k{at}\"{b}:{a}{v}{b}");
    let members: Vec<String> = parts.iter().enumerate().map(member).collect();
    let comma = if members.is_empty() { "" } else { comma };
    format!("{{{}{comma}{end}}}", members.join(","))
}

fn file() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(vec!["", "\u{feff}"]);
    let parts = prop::collection::vec((trivia(), value(), trivia()), 0..4);
    (mark, trivia(), parts, trivia(), comma(), trivia())
        .prop_map(|(mark, head, parts, end, comma, tail)| format!("{mark}{head}{}{tail}", object(&parts, &end, comma)))
}

/// An addition: a key or a list item, in an existing or a new container.
#[derive(Clone, Debug)]
enum Addition {
    Key(Vec<String>),
    Item(Vec<String>),
}

fn additions() -> impl Strategy<Value = Vec<Addition>> {
    let one = prop::sample::select(vec!["ours", "k0.ours", "k1.ours", "new.a", "new.b", "new.deep.c", "k0.new.a"]);
    let list = prop::sample::select(vec!["list", "k0", "k1", "new.list", "k0.list"]);
    let one = prop_oneof![one.prop_map(|p| Addition::Key(path(p))), list.prop_map(|p| Addition::Item(path(p)))];
    prop::collection::vec(one, 1..5)
}

fn item(at: usize) -> Value {
    json!({"ours": [at, {"x": "y"}]})
}

/// Makes all possible additions, and returns them with the created containers.
fn add(settings: &mut JsonSettings, additions: &[Addition]) -> (Vec<(usize, Addition)>, Vec<CreatedContainer>) {
    let mut done = Vec::new();
    let mut created = Vec::new();
    for (at, one) in additions.iter().enumerate() {
        let taken = |p: &Vec<String>| !matches!(settings.get(p), Ok(None));
        let new = match one {
            Addition::Key(p) if taken(p) => continue,
            Addition::Key(p) => settings.set(p, &item(at)),
            Addition::Item(p) => settings.push(p, &item(at)),
        };
        // A failed addition may still have created containers. The product works on a copy.
        if let Ok(new) = new {
            created.extend(new);
            done.push((at, one.clone()));
        }
    }
    (done, created)
}

fn undo(settings: &mut JsonSettings, at: usize, one: &Addition) {
    match one {
        Addition::Key(p) => settings.remove(p).unwrap(),
        Addition::Item(p) => {
            let index = settings.items(p).unwrap().iter().position(|value| *value == item(at)).unwrap();
            settings.remove_item(p, index).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn undoing_additions_restores_the_text(text in file(), additions in additions(), order in any::<prop::sample::Index>()) {
        let mut settings = JsonSettings::parse(&text).unwrap();
        prop_assert_eq!(settings.text(), text.clone());
        let before = settings.get(&[]).unwrap().unwrap();
        let (mut done, mut created) = add(&mut settings, &additions);
        prop_assert!(JsonSettings::parse(&settings.text()).is_ok(), "{:?}", settings.text());
        if !done.is_empty() {
            let turn = order.index(done.len());
            done.rotate_left(turn);
        }
        for (at, one) in &done {
            undo(&mut settings, *at, one);
            prop_assert!(JsonSettings::parse(&settings.text()).is_ok(), "{:?}", settings.text());
        }
        created.reverse();
        for container in &created {
            prop_assert!(settings.is_bare(&container.path), "{:?} in {:?}", container, settings.text());
            settings.remove(&container.path).unwrap();
        }
        prop_assert_eq!(settings.get(&[]).unwrap().unwrap(), before);
        prop_assert_eq!(settings.text(), text);
    }

    #[test]
    fn replacing_values_keeps_everything_else(text in file(), additions in additions()) {
        let mut settings = JsonSettings::parse(&text).unwrap();
        let (done, created) = add(&mut settings, &additions);
        for (at, one) in &done {
            let other = json!(["other", {"q": at}]);
            match one {
                Addition::Key(p) => { settings.set(p, &other).unwrap(); settings.remove(p).unwrap(); }
                Addition::Item(p) => {
                    let index = settings.items(p).unwrap().iter().position(|value| *value == item(*at)).unwrap();
                    settings.set_item(p, index, &other).unwrap();
                    settings.remove_item(p, index).unwrap();
                }
            }
        }
        created.iter().rev().for_each(|container| settings.remove(&container.path).unwrap());
        prop_assert_eq!(settings.text(), text);
    }
}
