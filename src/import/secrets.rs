//! Detects values that look like secrets, so that an import never copies one into the canon.

use crate::syntax::secrets::has_secret_prefix;

/// Prefixes of the keys of many services, in addition to the known formats.
const KEY_PREFIXES: [&str; 2] = ["sk-", "sk_"];
/// Words in the names of secrets.
const SECRET_WORDS: [&str; 9] =
    ["token", "secret", "password", "passwd", "credential", "apikey", "api_key", "api-key", "authorization"];
/// Minimum length of a token, in characters.
const MIN_TOKEN_LENGTH: usize = 12;

/// Whether a value with this name looks like a secret.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_lowercase();
    let mut parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    let named = SECRET_WORDS.iter().any(|word| name.contains(word))
        || name.ends_with("key")
        || parts.any(|part| part == "auth");
    let value = value.trim();
    // A number is a limit or a switch, except for passwords.
    let is_number = value.chars().all(|c| c.is_ascii_digit()) && !name.contains("pass") && !name.contains("secret");
    let is_setting = value.is_empty() || is_number || matches!(value, "true" | "false");
    !is_setting && !is_variable(value) && (named || looks_like_token(value))
}

/// Whether an argument looks like a secret, by its own name or the option before it.
pub(super) fn args_have_secret(args: &[String]) -> bool {
    let joined = |arg: &String| {
        let (name, value) = arg.split_once('=').unwrap_or(("", arg));
        is_secret(name, value)
    };
    let behind =
        |pair: &[String]| pair[0].starts_with('-') && !pair[1].starts_with('-') && is_secret(&pair[0], &pair[1]);
    args.iter().any(joined) || args.windows(2).any(behind)
}

/// Whether a text contains a word that looks like a token.
pub(super) fn looks_like_token(text: &str) -> bool {
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '=' | ':' | ',' | '"' | '\'' | '&' | '?' | '/' | '@'));
    let begins = |word: &str| KEY_PREFIXES.iter().any(|prefix| word.starts_with(prefix)) || has_secret_prefix(word);
    words.into_iter().any(|word| word.len() >= MIN_TOKEN_LENGTH && begins(word))
}

/// Whether a URL contains a password or a secret query parameter.
pub(super) fn url_has_secret(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = host.split(['/', '?', '#']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':') && !is_variable(user));
    let arguments = url.split_once('?').map_or("", |(_, arguments)| arguments).split('&');
    let named = arguments.filter_map(|pair| pair.split_once('=')).any(|(name, value)| is_secret(name, value));
    user || named || looks_like_token(url)
}

/// Whether a value only refers to an environment variable.
fn is_variable(value: &str) -> bool {
    let rest = value.trim();
    let rest =
        ["Bearer ", "bearer ", "Basic ", "token "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
    rest.contains("${") || (rest.starts_with('$') && rest.len() > 1)
}

/// The name of the environment variable for a value.
pub(super) fn variable_name(server: &str, key: &str) -> String {
    let upper = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
    };
    format!("{}_{}", upper(server), upper(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_secrets_from_settings() {
        for (name, value) in [
            ("API_KEY", "abc"),
            ("Authorization", "Bearer abc"),
            ("X", "ghp_0123456789abcdef"),
            ("DB_PASSWORD", "1234"),
        ] {
            assert!(is_secret(name, value), "{name}: {value}");
        }
        for (name, value) in [
            ("API_KEY", "${API_KEY}"),
            ("Authorization", "Bearer ${T}"),
            ("API_KEY", "$API_KEY"),
            ("MODE", "fast"),
            ("TOKEN", ""),
            ("MAX_TOKENS", "4096"),
            ("GIT_AUTHOR_NAME", "Ann"),
            ("USE_TOKEN", "true"),
        ] {
            assert!(!is_secret(name, value), "{name}: {value}");
        }
        assert!(url_has_secret("https://u:p@example.com/x") && url_has_secret("https://example.com/x?api_key=abc"));
        assert!(!url_has_secret("https://example.com/x?mode=fast") && !url_has_secret("https://example.com/a@b:c"));
        let args = |args: &[&str]| args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<String>>();
        for secret in [&["--api-key", "abc"][..], &["--token=abc"], &["-y", "glpat-0123456789abcdef"]] {
            assert!(args_have_secret(&args(secret)), "{secret:?}");
        }
        for plain in [&["--api-key", "${KEY}"][..], &["--token=${T}"], &["--api-key", "--verbose"], &["-y", "server"]] {
            assert!(!args_have_secret(&args(plain)), "{plain:?}");
        }
        assert_eq!(variable_name("my-db", "Authorization"), "MY_DB_AUTHORIZATION");
    }
}
