//! Values that may be secrets.

/// Words that stand in the place of a secret, or say something about it.
const PLACEHOLDERS: [&str; 44] = [
    "",
    "-",
    "null",
    "nil",
    "none",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "redacted",
    "masked",
    "hidden",
    "changeme",
    "change_me",
    "placeholder",
    "example",
    "required",
    "optional",
    "missing",
    "invalid",
    "expired",
    "empty",
    "unset",
    "wrong",
    "incorrect",
    "unknown",
    "string",
    "str",
    "bool",
    "int",
    "bytes",
    "value",
    "todo",
    "tbd",
    "xxx",
    "file",
    "env",
    "stdin",
    "prompt",
    "ask",
    "default",
    "auto",
    "basic",
];
/// Prefixes of references to a secret.
const REFERENCES: [&str; 23] = [
    "$",
    "%",
    "{",
    "<",
    "[",
    "*",
    "...",
    "…",
    "&",
    "process.env",
    "os.environ",
    "os.getenv",
    "env.",
    "env:",
    "ENV[",
    "getenv",
    "secrets.",
    "vault:",
    "op://",
    "file:",
    "/run/secrets",
    "/var/run",
    "your",
];

/// Words that follow the name of a secret, or of its option, in a sentence.
const PROSE: [&str; 24] = [
    "to", "is", "and", "or", "for", "flag", "option", "with", "from", "in", "on", "the", "a", "an", "as", "via",
    "when", "if", "not", "was", "argument", "instead", "it", "must",
];

/// Whether a word goes on with a sentence.
pub(super) fn is_prose(word: &str) -> bool {
    PROSE.contains(&word.to_ascii_lowercase().as_str())
}

/// Whether a value refers to a secret, or only stands for one.
pub(super) fn is_reference(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let one_character = value.len() > 2 && value.chars().all(|c| value.starts_with(c));
    one_character
        || PLACEHOLDERS.contains(&lower.as_str())
        || REFERENCES.iter().any(|start| lower.starts_with(&start.to_ascii_lowercase()))
        || lower.contains("xxxx")
        || lower.contains("placeholder")
        || value.ends_with("redacted]")
        || value.contains(['(', '[', '<'])
        || value.contains("${")
        || value.contains("{{")
}

/// Whether a value does not look like a word, a type or a name.
pub(super) fn is_strong(value: &str) -> bool {
    let has = |is: fn(char) -> bool| value.chars().any(is);
    let digit = has(|c| c.is_ascii_digit());
    let letter = has(char::is_alphabetic);
    let inner_capital = value.chars().skip(1).any(|c| c.is_ascii_uppercase()) && has(|c| c.is_ascii_lowercase());
    let special = value.contains(['!', '@', '#', '$', '%', '^', '*', '+', '=']);
    value.chars().count() >= 6
        && ((digit && letter) || (inner_capital && value.len() >= 10) || (special && letter))
        && !is_path(value)
        && !is_type(value)
}

pub(super) fn is_path(value: &str) -> bool {
    value.starts_with(['/', '~']) || value.starts_with("./") || value.starts_with("../") || value.contains("://")
}

fn is_type(value: &str) -> bool {
    value.starts_with("Uint") || value.starts_with("UInt") || value.starts_with("Int") || value.starts_with("Option")
}
