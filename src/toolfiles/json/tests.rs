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
fn a_key_goes_in_as_its_siblings_stand() {
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
fn containers_come_on_the_way_and_are_told() {
    let mut settings = JsonSettings::parse("{\n  \"a\": 1\n}\n").unwrap();
    let made = settings.set(&path("m.x"), &json!({"command": "c", "args": ["1"]})).unwrap();
    assert_eq!(made, vec![(path("m"), json!({}))]);
    let want = "{\n  \"a\": 1,\n  \"m\": {\n    \"x\": {\n      \"command\": \"c\",\n      \"args\": [\n        \"1\"\n      ]\n    }\n  }\n}\n";
    assert_eq!(settings.text(), want);
    assert_eq!(settings.push(&path("p.allow"), &json!("q")).unwrap().len(), 2);
    assert_eq!(settings.items(&path("p.allow")), Ok(vec![json!("q")]));
}

#[test]
fn what_is_no_object_on_the_way_is_told() {
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
}

/// White space and comments, as people put them between any two tokens.
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

/// A value of any form, as people write it.
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

/// What of ours comes: keys at the top and deeper, items of lists, beside what is there and in new containers.
#[derive(Clone, Debug)]
enum Ours {
    Key(Vec<String>),
    Item(Vec<String>),
}

fn ours() -> impl Strategy<Value = Vec<Ours>> {
    let one = prop::sample::select(vec!["ours", "k0.ours", "k1.ours", "new.a", "new.b", "new.deep.c", "k0.new.a"]);
    let list = prop::sample::select(vec!["list", "k0", "k1", "new.list", "k0.list"]);
    let one = prop_oneof![one.prop_map(|p| Ours::Key(path(p))), list.prop_map(|p| Ours::Item(path(p)))];
    prop::collection::vec(one, 1..5)
}

fn item(at: usize) -> Value {
    json!({"ours": [at, {"x": "y"}]})
}

/// Puts all in that can be, and gives what was put in and made.
fn add(settings: &mut JsonSettings, ours: &[Ours]) -> (Vec<(usize, Ours)>, Vec<CreatedContainer>) {
    let (mut done, mut made) = (Vec::new(), Vec::new());
    for (at, one) in ours.iter().enumerate() {
        let taken = |p: &Vec<String>| !matches!(settings.get(p), Ok(None));
        let new = match one {
            Ours::Key(p) if taken(p) => continue,
            Ours::Key(p) => settings.set(p, &item(at)),
            Ours::Item(p) => settings.push(p, &item(at)),
        };
        // What fails half-way has made containers all the same: the caller works on a copy.
        if let Ok(new) = new {
            made.extend(new);
            done.push((at, one.clone()));
        }
    }
    (done, made)
}

fn take_out(settings: &mut JsonSettings, at: usize, one: &Ours) {
    match one {
        Ours::Key(p) => settings.remove(p).unwrap(),
        Ours::Item(p) => {
            let index = settings.items(p).unwrap().iter().position(|value| *value == item(at)).unwrap();
            settings.remove_item(p, index).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn what_comes_out_is_what_went_in(text in file(), ours in ours(), order in any::<prop::sample::Index>()) {
        let mut settings = JsonSettings::parse(&text).unwrap();
        prop_assert_eq!(settings.text(), text.clone());
        let before = settings.get(&[]).unwrap().unwrap();
        let (mut done, mut made) = add(&mut settings, &ours);
        prop_assert!(JsonSettings::parse(&settings.text()).is_ok(), "{:?}", settings.text());
        if !done.is_empty() {
            let turn = order.index(done.len());
            done.rotate_left(turn);
        }
        for (at, one) in &done {
            take_out(&mut settings, *at, one);
            prop_assert!(JsonSettings::parse(&settings.text()).is_ok(), "{:?}", settings.text());
        }
        made.reverse();
        for (container, _) in &made {
            prop_assert!(settings.is_bare(container), "{:?} in {:?}", container, settings.text());
            settings.remove(container).unwrap();
        }
        prop_assert_eq!(settings.get(&[]).unwrap().unwrap(), before);
        prop_assert_eq!(settings.text(), text);
    }

    #[test]
    fn another_value_changes_nothing_else(text in file(), ours in ours()) {
        let mut settings = JsonSettings::parse(&text).unwrap();
        let (done, made) = add(&mut settings, &ours);
        for (at, one) in &done {
            let other = json!(["other", {"q": at}]);
            match one {
                Ours::Key(p) => { settings.set(p, &other).unwrap(); settings.remove(p).unwrap(); }
                Ours::Item(p) => {
                    let index = settings.items(p).unwrap().iter().position(|value| *value == item(*at)).unwrap();
                    settings.set_item(p, index, &other).unwrap();
                    settings.remove_item(p, index).unwrap();
                }
            }
        }
        made.iter().rev().for_each(|(container, _)| settings.remove(container).unwrap());
        prop_assert_eq!(settings.text(), text);
    }
}
