//! Repairs JSON that a parser rejects, so that as much as possible of it can be read: unpaired surrogates, control characters in
//! strings, values that are nested too deeply, and text that ends early.

/// Nesting from which a value is left out. The parser's own limit is 128.
const MAX_DEPTH: usize = 100;

/// A text that is valid JSON.
#[derive(Debug, PartialEq, Eq)]
pub struct RepairedJson {
    pub text: String,
    /// Whether only characters were replaced. Otherwise a part is missing.
    pub is_complete: bool,
}

/// Repairs a text. Only characters within strings change if the text is otherwise valid.
pub fn repair(text: &str) -> RepairedJson {
    let mut repair = Repair { text, at: 0, out: String::with_capacity(text.len() + 16), is_complete: true };
    repair.value(0);
    repair.skip_space();
    repair.is_complete &= repair.at == text.len();
    RepairedJson { text: repair.out, is_complete: repair.is_complete }
}

struct Repair<'t> {
    text: &'t str,
    at: usize,
    out: String,
    is_complete: bool,
}

impl Repair<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Skips a character that has no place here.
    fn skip_character(&mut self) {
        self.at += self.rest().chars().next().map_or(1, char::len_utf8);
        self.is_complete = false;
    }

    fn leave_out(&mut self) {
        self.out.push_str("null");
        self.is_complete = false;
    }

    fn value(&mut self, depth: usize) {
        self.skip_space();
        match self.peek() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => {
                self.skip_container();
                self.leave_out();
            }
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string(),
            None | Some(b'}' | b']' | b',' | b':') => self.leave_out(),
            Some(_) => self.literal(),
        }
    }

    fn object(&mut self, depth: usize) {
        self.at += 1;
        self.out.push('{');
        let mut is_first = true;
        loop {
            self.skip_space();
            match self.peek() {
                None => {
                    self.is_complete = false;
                    break;
                }
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                Some(b',') if !is_first => self.at += 1,
                Some(b'"') => {
                    if !std::mem::take(&mut is_first) {
                        self.out.push(',');
                    }
                    self.string();
                    self.out.push(':');
                    self.skip_space();
                    if self.peek() == Some(b':') {
                        self.at += 1;
                    }
                    self.value(depth + 1);
                }
                Some(_) => self.skip_character(),
            }
        }
        self.out.push('}');
    }

    fn array(&mut self, depth: usize) {
        self.at += 1;
        self.out.push('[');
        let mut is_first = true;
        loop {
            self.skip_space();
            match self.peek() {
                None => {
                    self.is_complete = false;
                    break;
                }
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(b',') if !is_first => self.at += 1,
                Some(b'}' | b':' | b',') => self.skip_character(),
                Some(_) => {
                    if !std::mem::take(&mut is_first) {
                        self.out.push(',');
                    }
                    self.value(depth + 1);
                }
            }
        }
        self.out.push(']');
    }

    /// A number, a word, or something that is neither.
    fn literal(&mut self) {
        let ends = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | '}' | ']' | ':' | '"' | '{' | '[');
        let length = self.rest().find(ends).unwrap_or(self.rest().len());
        let end = self.at + length;
        let text = self.text.get(self.at..end).unwrap_or_default();
        self.at = end;
        match serde_json::from_str::<serde_json::Value>(text) {
            Ok(_) => self.out.push_str(text),
            Err(_) => self.leave_out(),
        }
    }

    fn string(&mut self) {
        self.at += 1;
        self.out.push('"');
        loop {
            let plain = |c: char| c != '"' && c != '\\' && c >= ' ';
            let length = self.rest().find(|c| !plain(c)).unwrap_or(self.rest().len());
            let end = self.at + length;
            self.out.push_str(self.text.get(self.at..end).unwrap_or_default());
            self.at = end;
            match self.peek() {
                None => {
                    self.is_complete = false;
                    break;
                }
                Some(b'"') => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') => self.escape(),
                Some(control) => {
                    self.out.push_str(&format!("\\u{control:04x}"));
                    self.at += 1;
                }
            }
        }
        self.out.push('"');
    }

    fn escape(&mut self) {
        match self.text.as_bytes().get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.out.push_str(self.text.get(self.at..self.at + 2).unwrap_or_default());
                self.at += 2;
            }
            Some(b'u') => self.unicode_escape(),
            // Not an escape: a backslash. The character after it is read next.
            Some(_) => {
                self.out.push_str("\\\\");
                self.at += 1;
            }
            None => self.at += 1,
        }
    }

    fn unicode_escape(&mut self) {
        let unit = |at: usize| {
            let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
            digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
        };
        let length = match (unit(self.at), unit(self.at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                self.out.push_str("\\ufffd");
                self.at += 6;
                return;
            }
            (Some(_), _) => 6,
            (None, _) => {
                self.out.push_str("\\\\");
                self.at += 1;
                return;
            }
        };
        self.out.push_str(self.text.get(self.at..self.at + length).unwrap_or_default());
        self.at += length;
    }

    /// Skips an object or an array without recursion.
    fn skip_container(&mut self) {
        let mut depth = 0_usize;
        let mut in_string = false;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' if in_string => self.at += 1,
                b'"' => in_string = !in_string,
                b'{' | b'[' if !in_string => depth += 1,
                b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && !in_string {
                break;
            }
        }
        while !self.text.is_char_boundary(self.at.min(self.text.len())) {
            self.at += 1;
        }
        self.at = self.at.min(self.text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn value(text: &str) -> (Value, bool) {
        let RepairedJson { text: repaired, is_complete } = repair(text);
        (serde_json::from_str(&repaired).unwrap_or_else(|e| panic!("{text:?} became {repaired:?}: {e}")), is_complete)
    }

    #[test]
    fn only_characters_are_replaced() {
        for (text, want) in [
            (r#"{"a":"x\ud800y"}"#, json!({"a": "x\u{fffd}y"})),
            (r#"{"a":"\udc00\ud83d\ude00\ud83d"}"#, json!({"a": "\u{fffd}😀\u{fffd}"})),
            (r#"{"a":"\\ud800"}"#, json!({"a": "\\ud800"})),
            (r#""\ud800\u0041""#, json!("\u{fffd}A")),
            ("[\"a\tb\u{1}\", \"\\q\"]", json!(["a\tb\u{1}", "\\q"])),
            (r#" {"a" : [1, -2.5e3, true, null, {}], "é": []} "#, json!({"a": [1, -2500.0, true, null, {}], "é": []})),
        ] {
            assert_eq!(value(text), (want, true), "{text}");
        }
    }

    #[test]
    fn missing_parts_are_reported() {
        for (text, want) in [
            ("", json!(null)),
            ("{", json!({})),
            (r#"{"a":{"b":"rm -rf"#, json!({"a": {"b": "rm -rf"}})),
            (r#"{"a":{"b":"x\"#, json!({"a": {"b": "x"}})),
            (r#"{"a":{"b":"x\u12"#, json!({"a": {"b": "x\\u12"}})),
            (r#"{"a"#, json!({"a": null})),
            (r#"{"a":"#, json!({"a": null})),
            (r#"{"a":1,"#, json!({"a": 1})),
            (r#"{"a":[1,tru"#, json!({"a": [1, null]})),
            (r#"{"a":NaN,"b":1e999}"#, json!({"a": null, "b": null})),
            (r#"{"a":1}}"#, json!({"a": 1})),
            (r#"{a:1,"b":2}"#, json!({"b": 2})),
            ("[}:1]", json!([1])),
        ] {
            assert_eq!(value(text), (want, false), "{text}");
        }
    }

    #[test]
    fn deep_values_are_left_out() {
        let deep = format!(r#"{{"a":{}"]}}"{},"b":"é"}}"#, "[".repeat(500), "]".repeat(500));
        let (value, is_complete) = value(&deep);
        assert_eq!((value["b"].as_str(), is_complete), (Some("é"), false));
    }

    #[test]
    fn any_text_becomes_valid_json() {
        let alphabet = ["{", "}", "[", "]", "\"", "\\", "u", "d800", ":", ",", "é", "1", "\n", " ", "tru", "\u{0}"];
        let mut state = 7_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(alphabet[(state >> 60) as usize]);
            }
            drop(value(&text));
        }
    }
}
