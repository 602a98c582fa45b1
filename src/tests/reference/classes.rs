//! Where we and the reference validator differ, and why.

use crate::tests::reference::generate::GeneratedCase;
use unicode_normalization::UnicodeNormalization as _;

/// Rules that hold to what YAML or the specification says where the validator, which reads every scalar as text and looks
/// at few keys, does not look.
const STRICTER: [(&str, &[&str]); 4] = [
    (
        "we: a number, a truth value or nothing is no text; theirs reads every scalar as text",
        &["value-not-string", "name-missing", "description-missing"],
    ),
    (
        "we: the specification gives these keys a type; theirs does not look",
        &["metadata-not-mapping", "metadata-value-nested"],
    ),
    ("we: an empty compatibility is none; theirs counts only upwards", &["compatibility-length"]),
    (
        "we: a name is what is written; theirs takes white space and compatibility characters away",
        &[
            "name-characters",
            "name-directory-mismatch",
            "name-compatibility",
            "name-hyphens",
            "name-too-long",
            "name-case",
        ],
    ),
];

/// What its YAML parser, strictyaml, refuses and YAML allows.
const STRICT_YAML: [(&str, &str); 6] = [
    ("disallowed JSONesque flow", "theirs: YAML's flow style is refused"),
    ("confusing flow", "theirs: YAML's flow style is refused"),
    ("disallowed anchor", "theirs: anchors and aliases are refused"),
    ("disallowed tag", "theirs: tags are refused"),
    ("DisallowedToken", "theirs: tags, anchors and flow style are refused"),
    ("InconsistentIndentation", "theirs: one indentation for all"),
];

/// The class of a difference; `None` where it is of none.
pub fn class(case: &GeneratedCase, ours: &[&str], theirs: &[String]) -> Option<&'static str> {
    if !is_plainly_fenced(&case.text) {
        return Some("theirs: a fence is any three hyphens, wherever they stand");
    }
    if theirs.is_empty() {
        let as_written = case.text.contains("name: \" ") || !case.folder.is_ascii();
        let class = |rule: &&str| STRICTER.iter().find(|(_, rules)| rules.contains(rule)).map(|(class, _)| *class);
        if !as_written && ours.iter().all(|rule| class(rule) == Some(STRICTER[3].0)) {
            return None;
        }
        return ours.iter().map(class).collect::<Option<Vec<_>>>()?.into_iter().next();
    }
    let said = theirs.join("\n");
    if let Some((_, class)) = STRICT_YAML.iter().find(|(part, _)| said.contains(part)) {
        return Some(class);
    }
    if said.contains("character '\\t' that cannot start any token") {
        return Some("theirs: a tab within a value is refused");
    }
    if case.text.starts_with('\u{feff}') {
        return Some("theirs: a byte order mark is refused");
    }
    let name = case.folder.nfkc().collect::<String>();
    if said.contains("invalid characters") && !name.is_ascii() {
        return Some("theirs: letters go by Python's isalnum, without marks");
    }
    None
}

/// Whether the first three hyphens behind those at the start are a line of their own, and those at the start too.
fn is_plainly_fenced(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let Some(rest) = text.strip_prefix("---\n") else { return false };
    let Some(at) = rest.find("---") else { return false };
    let is_line = at == 0 || rest[..at].ends_with('\n');
    is_line && (rest[at + 3..].is_empty() || rest[at + 3..].starts_with('\n'))
}
