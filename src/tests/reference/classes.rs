//! Known differences from the reference validator, with their reasons.

use crate::tests::reference::generate::GeneratedCase;
use unicode_normalization::UnicodeNormalization as _;

/// Rules for requirements of YAML or the specification that the validator does not check. It reads every scalar as text
/// and checks few keys.
const STRICTER: [(&str, &[&str]); 4] = [
    (
        "ours: numbers, booleans and null are not strings; theirs: every scalar is a string",
        &["skill-schema", "skill-schema", "skill-schema"],
    ),
    ("ours: checks the specified types of these keys; theirs: does not", &["skill-schema", "skill-schema"]),
    ("ours: compatibility must not be empty; theirs: checks only the maximum length", &["skill-schema"]),
    (
        "ours: checks the name as written; theirs: strips white space and normalises characters first",
        &["name-invalid", "name-directory-mismatch", "name-invalid", "name-invalid", "skill-schema", "name-invalid"],
    ),
];

/// Errors of its YAML parser, strictyaml, for valid YAML.
const STRICT_YAML: [(&str, &str); 6] = [
    ("disallowed JSONesque flow", "theirs: rejects YAML flow style"),
    ("confusing flow", "theirs: rejects YAML flow style"),
    ("disallowed anchor", "theirs: rejects anchors and aliases"),
    ("disallowed tag", "theirs: rejects tags"),
    ("DisallowedToken", "theirs: rejects tags, anchors and flow style"),
    ("InconsistentIndentation", "theirs: requires the same indentation everywhere"),
];

/// The class of a difference; `None` if it is unexplained.
pub fn class(case: &GeneratedCase, ours: &[&str], theirs: &[String]) -> Option<&'static str> {
    if !is_plainly_fenced(&case.text) {
        return Some("theirs: any three hyphens end the frontmatter");
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
        return Some("theirs: rejects a tab within a value");
    }
    if case.text.starts_with('\u{feff}') {
        return Some("theirs: rejects a byte order mark");
    }
    let name = case.folder.nfkc().collect::<String>();
    if said.contains("invalid characters") && !name.is_ascii() {
        return Some("theirs: accepts letters by Python's isalnum, which excludes combining marks");
    }
    None
}

/// Whether the frontmatter starts and ends with lines of exactly three hyphens, and the first `---` after the start is
/// the end.
fn is_plainly_fenced(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let Some(rest) = text.strip_prefix("---\n") else { return false };
    let Some(at) = rest.find("---") else { return false };
    let is_line = at == 0 || rest[..at].ends_with('\n');
    is_line && (rest[at + 3..].is_empty() || rest[at + 3..].starts_with('\n'))
}
