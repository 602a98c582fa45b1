//! Values that look like secrets, so that none gets into the canon unsaid.

/// How tokens of well-known services begin.
const BEGINNINGS: [&str; 15] = [
    "sk-",
    "sk_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "AKIA",
    "AIza",
    "npm_",
    "hf_",
];
/// Words in the name of what holds one.
const WORDS: [&str; 11] = [
    "token",
    "secret",
    "password",
    "passwd",
    "credential",
    "apikey",
    "api_key",
    "api-key",
    "authorization",
    "private",
    "auth",
];
/// Characters that a token of a service has at least.
const LONG: usize = 12;

/// Whether a value, under its name, should not be written down.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_lowercase();
    let named = WORDS.iter().any(|word| name.contains(word)) || name.ends_with("key");
    !value.trim().is_empty() && !is_variable(value) && (named || looks_like_one(value))
}

/// Whether a text holds something that begins like a token.
pub(super) fn looks_like_one(text: &str) -> bool {
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '=' | ':' | ',' | '"' | '\'' | '&' | '?' | '/' | '@'));
    words.into_iter().any(|word| word.len() >= LONG && BEGINNINGS.iter().any(|begin| word.starts_with(begin)))
}

/// Whether an address holds a password, or a token as an argument.
pub(super) fn in_address(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = host.split(['/', '?', '#']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':') && !is_variable(user));
    let arguments = url.split_once('?').map_or("", |(_, arguments)| arguments).split('&');
    let named = arguments.filter_map(|pair| pair.split_once('=')).any(|(name, value)| is_secret(name, value));
    user || named || looks_like_one(url)
}

/// Nothing but words around a variable of the environment.
fn is_variable(value: &str) -> bool {
    let rest = value.trim();
    let rest =
        ["Bearer ", "bearer ", "Basic ", "token "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
    rest.contains("${") || (rest.starts_with('$') && rest.len() > 1)
}

/// The name of a variable for a value.
pub(super) fn variable(server: &str, key: &str) -> String {
    let upper = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
    };
    format!("{}_{}", upper(server), upper(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_from_settings() {
        for (name, value) in
            [("API_KEY", "abc"), ("Authorization", "Bearer abc"), ("X", "ghp_0123456789abcdef"), ("DB_PASSWORD", "x")]
        {
            assert!(is_secret(name, value), "{name}: {value}");
        }
        for (name, value) in [
            ("API_KEY", "${API_KEY}"),
            ("Authorization", "Bearer ${T}"),
            ("API_KEY", "$API_KEY"),
            ("MODE", "fast"),
            ("TOKEN", ""),
        ] {
            assert!(!is_secret(name, value), "{name}: {value}");
        }
        assert!(in_address("https://u:p@example.com/x") && in_address("https://example.com/x?api_key=abc"));
        assert!(!in_address("https://example.com/x?mode=fast") && !in_address("https://example.com/a@b:c"));
        assert_eq!(variable("my-db", "Authorization"), "MY_DB_AUTHORIZATION");
    }
}
