//! The contract of a step's output: finds the JSON in a worker's answer and checks it against what the step declares.

use super::condition::FieldType;
use super::expression::kind_words;
use canonry_model::canon::schema;
use canonry_model::canon::workflow::OutputField;
use canonry_text::printable::{head, tail};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value as Json;
use std::ops::Range;

/// The end of an answer in which an object between prose is searched.
const SEARCHED: usize = 256 << 10;
/// The most places at which such an object is tried.
const ATTEMPTS: usize = 2_000;
/// The most violations that are reported one by one.
const REPORTED: usize = 20;
/// The longest violation, in bytes.
const MESSAGE: usize = 300;

/// The output in a worker's answer: the answer is JSON, or contains JSON in its last fenced block, or its last balanced
/// {...} object.
///
/// Only objects and lists count. An object between prose must have at least one key, because `{}` is common in code.
pub fn find_output(answer: &str) -> Option<Json> {
    locate_output(answer).map(|(output, _)| output)
}

/// The output in a worker's answer, and where it is.
pub fn locate_output(answer: &str) -> Option<(Json, Range<usize>)> {
    if let Some(output) = parse_container(answer) {
        return Some((output, 0..answer.len()));
    }
    if let Some(block) = last_block(answer)
        && let Some(output) = parse_container(&answer[block.clone()])
    {
        return Some((output, block));
    }
    last_object(answer)
}

fn parse_container(text: &str) -> Option<Json> {
    let text = text.trim().trim_start_matches('\u{feff}');
    text.starts_with(['{', '[']).then(|| serde_json::from_str(text).ok()).flatten()
}

/// The content of the last fenced block. One that is not closed reaches to the end.
fn last_block(answer: &str) -> Option<Range<usize>> {
    let mut last = None;
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in answer.split_inclusive('\n') {
        let start = at;
        let text = line.trim();
        at += line.len();
        let length = text.len() - text.trim_start_matches(if text.starts_with('~') { '~' } else { '`' }).len();
        let fence = &text[..length];
        match open {
            None if length >= 3 => open = Some((fence, at)),
            Some((opening, content)) if length == text.len() && fence.starts_with(opening) => {
                last = Some(content..start);
                open = None;
            }
            _ => {}
        }
    }
    open.map(|(_, content)| content..answer.len()).or(last)
}

/// The last object that is not inside another one.
fn last_object(answer: &str) -> Option<(Json, Range<usize>)> {
    let text = tail(answer, SEARCHED);
    let before = answer.len() - text.len();
    // An object starts with a key, which excludes most braces in code.
    let is_object = |at: &usize| text[at + 1..].trim_start().starts_with('"');
    let mut starts: Vec<usize> = Vec::new();
    let mut spaces = 0;
    for (at, c) in text.char_indices().rev() {
        // Long runs of spaces after braces would be skipped once for each brace.
        spaces = if c.is_whitespace() { spaces + 1 } else { 0 };
        if c == '{' && spaces < ATTEMPTS && is_object(&at) {
            starts.push(at);
        }
    }
    starts.truncate(ATTEMPTS);
    let mut found = None;
    let mut done = 0;
    for at in starts.into_iter().rev() {
        // An object inside an object is not an output of its own.
        if at < done {
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Json>();
        if let Some(Ok(value)) = values.next() {
            done = at + values.byte_offset();
            found = Some((value, before + at..before + done));
        }
    }
    found
}

/// The value at a path such as `bug.summary`. A key that contains the dots itself comes first.
pub fn value_at<'v>(output: &'v Json, path: &str) -> Option<&'v Json> {
    output.get(path).or_else(|| path.split('.').try_fold(output, |value, key| value.get(key)))
}

/// Validates an output against declared fields (`bool`, `string`, `number`, `number[0..1]`, `list`, `enum[a,b]`...; unknown
/// types accept anything) or against a JSON schema document.
///
/// # Errors
/// All violations in plain words, of which the first are reported one by one.
pub fn check_output(output: &Json, declared: &[OutputField], schema: Option<&Json>) -> Result<(), Vec<String>> {
    let mut found = Vec::new();
    let mut more = 0_usize;
    let mut add = |message: String| {
        if found.len() < REPORTED {
            found.push(shorten(message))
        } else {
            more += 1;
        }
    };
    if !declared.is_empty() {
        match output {
            Json::Object(fields) => {
                let violations = declared.iter().filter_map(|field| check_field(field, fields.get(&field.name.text)));
                violations.for_each(&mut add);
            }
            other => add(format!("the output must be an object, but is {}", kind_words(other))),
        }
    }
    match schema.map(schema::compile) {
        None => {}
        Some(Err(error)) => add(format!("the schema of the output cannot be used: {error}")),
        Some(Ok(validator)) => validator.iter_errors(output).for_each(|error| add(describe(&error))),
    }
    match (found.is_empty(), more) {
        (true, _) => Ok(()),
        (false, 0) => Err(found),
        (false, more) => {
            found.push(format!("and {more} more"));
            Err(found)
        }
    }
}

fn check_field(declared: &OutputField, value: Option<&Json>) -> Option<String> {
    let name = &declared.name.text;
    let kind = declared.kind.text.trim();
    let Some(value) = value else { return Some(format!("the field `{name}` is missing")) };
    let wrong = |expected: &str| Some(format!("the field `{name}` must be {expected}, but is {}", shown(value)));
    let lower = kind.to_ascii_lowercase();
    match FieldType::parse(kind) {
        FieldType::Bool => (!value.is_boolean()).then(|| wrong("true or false")).flatten(),
        FieldType::Number(range) => {
            let Some(number) = value.as_f64() else { return wrong("a number") };
            if lower.starts_with("int") && number.fract() != 0.0 {
                return wrong("a whole number");
            }
            let (low, high) = range?;
            (!(low..=high).contains(&number)).then(|| wrong(&format!("between {low} and {high}"))).flatten()
        }
        FieldType::Other => {
            if let Some(options) = enum_options(kind) {
                let is_one = value.as_str().is_some_and(|text| options.contains(&text));
                return if is_one { None } else { wrong(&format!("one of {}", options.join(", "))) };
            }
            match lower.as_str() {
                "string" | "str" | "text" if !value.is_string() => wrong("a text"),
                "object" | "map" | "mapping" | "dict" if !value.is_object() => wrong("an object"),
                "list" | "array" if !value.is_array() => wrong("a list"),
                list => check_items(list.strip_suffix("[]")?, value).and_then(wrong),
            }
        }
    }
}

/// Requirement for a value that is not a list of `kind`.
fn check_items(kind: &str, value: &Json) -> Option<&'static str> {
    let (is_item, expected): (fn(&Json) -> bool, _) = match kind {
        "string" | "str" | "text" => (Json::is_string, "a list of texts"),
        "number" | "float" | "int" | "integer" => (Json::is_number, "a list of numbers"),
        "bool" | "boolean" => (Json::is_boolean, "a list of booleans"),
        "object" | "map" | "mapping" | "dict" => (Json::is_object, "a list of objects"),
        _ => (|_| true, "a list"),
    };
    let is_list = value.as_array().is_some_and(|items| items.iter().all(is_item));
    (!is_list).then_some(expected)
}

/// The values of `enum[a, b]` or `enum(a, b)`.
fn enum_options(kind: &str) -> Option<Vec<&str>> {
    let list = kind.strip_prefix("enum")?.trim_start();
    let list = list.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
    let list = list.or_else(|| kind.strip_prefix("enum")?.trim_start().strip_prefix('(')?.strip_suffix(')'))?;
    Some(list.split(',').map(|option| option.trim().trim_matches(['"', '\''])).collect())
}

/// A violation of a schema.
fn describe(error: &ValidationError<'_>) -> String {
    let pointer = error.instance_path().as_str();
    let path = pointer.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~");
    let subject = if path.is_empty() { "the output".to_owned() } else { format!("the field `{path}`") };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let name = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            format!("the field `{name}` is missing")
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let names: Vec<&str> = unexpected.iter().take(REPORTED).map(|name| head(name, MESSAGE)).collect();
            format!("{subject} has fields that the schema does not allow: {}", names.join(", "))
        }
        _ => format!("{subject} is invalid: {error}"),
    }
}

/// A value for a message: itself if it is short, otherwise its type.
fn shown(value: &Json) -> String {
    match value {
        Json::Bool(_) | Json::Number(_) => value.to_string(),
        Json::String(text) if text.len() <= 60 => format!("the text {value}"),
        _ => kind_words(value).to_owned(),
    }
}

fn shorten(message: String) -> String {
    if message.len() <= MESSAGE { message } else { format!("{}…", head(&message, MESSAGE)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::Span;
    use canonry_text::node::SpannedText;
    use proptest::prelude::*;
    use serde_json::json;

    fn field(name: &str, kind: &str) -> OutputField {
        let text = |text: &str| SpannedText { text: text.to_owned(), span: Span::new(0, 0) };
        OutputField { name: text(name), kind: text(kind) }
    }

    #[test]
    fn finds_the_output() {
        let a = json!({"a": 1});
        let b = json!({"b": {"c": "}"}});
        for (answer, want) in [
            (r#"{"a": 1}"#.to_owned(), Some(&a)),
            ("\u{feff} \n{\"a\": 1}\n".to_owned(), Some(&a)),
            ("Done.\n```json\n{\"a\": 1}\n```\nBye.".to_owned(), Some(&a)),
            (format!("```\n{b}\n```\nthen\n```json\n{a}\n```"), Some(&a)),
            (format!("~~~~ json\n{a}\n~~~~\n"), Some(&a)),
            (format!("```json\n{a}\n"), Some(&a)),
            (format!("- item\n  ```json\r\n  {a}\r\n  ```\r\n"), Some(&a)),
            (format!("{a}\n```rust\nfn main() {{}}\n```"), Some(&a)),
            (format!("First {b}, then {a}. {{}} {{x}}"), Some(&a)),
            (format!("The result: {b}"), Some(&b)),
            (format!("{{\"broken\": {a}"), Some(&a)),
            ("no JSON, äöü {} {".to_owned(), None),
            ("42".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(find_output(&answer).as_ref(), want, "{answer}");
        }
        assert_eq!(find_output("[1, 2]"), Some(json!([1, 2])));
    }

    #[test]
    fn hostile_answers_are_searched_in_bounded_time() {
        let started = std::time::Instant::now();
        assert_eq!(find_output(&"{\"a\":".repeat(200_000)), None);
        assert_eq!(find_output(&"{\"".repeat(500_000)), None);
        assert_eq!(find_output(&format!("x{}", "{ ".repeat(500_000))), None);
        assert_eq!(find_output(&"[".repeat(1_000_000)), None);
        assert_eq!(find_output(&"```\n".repeat(300_001)), None);
        assert!(started.elapsed().as_secs() < 20);
    }

    #[test]
    fn fields_are_checked() {
        for (kind, value, want) in [
            ("bool", json!(true), None),
            ("bool", json!("true"), Some("true or false, but is the text \"true\"")),
            ("string", json!(""), None),
            ("string", json!(null), Some("a text, but is null")),
            ("number", json!(3), None),
            ("number", json!("3"), Some("a number, but is the text \"3\"")),
            ("number[0..1]", json!(0.5), None),
            ("number[0..1]", json!(95), Some("between 0 and 1, but is 95")),
            ("int", json!(3.0), None),
            ("integer", json!(3.5), Some("a whole number, but is 3.5")),
            ("list", json!([]), None),
            ("list", json!({}), Some("a list, but is an object")),
            ("string[]", json!(["a"]), None),
            ("string[]", json!([1]), Some("a list of texts, but is a list")),
            ("path[]", json!([1]), None),
            ("object", json!([]), Some("an object, but is a list")),
            ("enum[low, high]", json!("high"), None),
            ("enum(low,high)", json!("mid"), Some("one of low, high, but is the text \"mid\"")),
            ("enum[low]", json!(1), Some("one of low, but is 1")),
            ("path", json!({"anything": 1}), None),
            ("", json!(null), None),
        ] {
            let found = check_output(&json!({"f": value}), &[field("f", kind)], None);
            let want = want.map_or(Ok(()), |want| Err(vec![format!("the field `f` must be {want}")]));
            assert_eq!(found, want, "{kind} {value}");
        }
        let two = [field("a", "bool"), field("b", "number")];
        assert_eq!(
            check_output(&json!({"a": 1, "x": 2}), &two, None),
            Err(vec!["the field `a` must be true or false, but is 1".into(), "the field `b` is missing".into()])
        );
        assert_eq!(
            check_output(&json!([1]), &two, None),
            Err(vec!["the output must be an object, but is a list".into()])
        );
        assert_eq!(check_output(&json!([1]), &[], None), Ok(()));
    }

    #[test]
    fn schemas_are_checked() {
        let schema = json!({
            "type": "object", "required": ["a", "b"], "additionalProperties": false,
            "properties": {"a": {"type": "object", "required": ["x"]}, "b": {"type": "integer"}}
        });
        assert_eq!(check_output(&json!({"a": {"x": 1}, "b": 2}), &[], Some(&schema)), Ok(()));
        let found = check_output(&json!({"a": {}, "b": "no", "c": 1}), &[], Some(&schema)).unwrap_err();
        for want in ["the field `a.x` is missing", "the field `b` is invalid: ", "does not allow: c"] {
            assert!(found.iter().any(|message| message.contains(want)), "{want}: {found:?}");
        }
        for unusable in [json!({"type": "nothing"}), json!({"$ref": "https://example.com/schema.json"}), json!(3)] {
            let found = check_output(&json!({}), &[], Some(&unusable)).unwrap_err();
            assert!(found[0].starts_with("the schema of the output cannot be used"), "{found:?}");
        }
    }

    #[test]
    fn violations_are_bounded() {
        let many: Vec<OutputField> = (0..1_000).map(|at| field(&format!("f{at}"), "bool")).collect();
        let found = check_output(&json!({}), &many, None).unwrap_err();
        assert_eq!((found.len(), found[REPORTED].as_str()), (REPORTED + 1, "and 980 more"));
        let long = field(&"é".repeat(10_000), "bool");
        assert!(check_output(&json!({}), &[long], None).unwrap_err()[0].len() < 400);
    }

    #[test]
    fn paths_descend_into_objects() {
        let output = json!({"bug": {"summary": "x", "a.b": 1}, "bug.trace": "y", "list": [1]});
        for (path, want) in [
            ("bug.summary", Some(json!("x"))),
            ("bug.trace", Some(json!("y"))),
            ("bug.gone", None),
            ("bug.summary.x", None),
            ("list.0", None),
            ("", None),
        ] {
            assert_eq!(value_at(&output, path).cloned(), want, "{path}");
        }
    }

    proptest! {
        #[test]
        fn any_output_is_found_between_prose(
            values in proptest::collection::btree_map("[a-z{}\"\\\\é`]{1,6}", "[^\\r\\n]{0,12}", 1..5),
            before in "[a-zé .\n]{0,30}", after in "[a-zé .\n]{0,30}",
        ) {
            let output = json!(values);
            prop_assert_eq!(find_output(&format!("{before}{output}{after}")), Some(output.clone()));
            prop_assert_eq!(find_output(&format!("{before}\n```json\n{output:#}\n```\n{after}")), Some(output));
        }

        #[test]
        fn no_answer_panics(answer in "([{}\\[\\]\"`~:,\n ]|a|é|```|1){0,40}") {
            if let Some((output, range)) = locate_output(&answer) {
                prop_assert!(answer.get(range).is_some());
                let _ = check_output(&output, &[field("a", "enum["), field("a", "number[1..0]")], Some(&output));
            }
        }
    }
}
