//! Detects secrets in settings: a value with the name of a secret, and whatever may be a secret in other values.
//! A false positive costs only a variable.

use super::search::find;
use super::table::{Confidence, PASSWORD_NAME, SECRET_NAME};
use super::values::{is_reference, is_strong};
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A part of a value that looks like a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingSecret {
    /// Its range in the value.
    pub range: Range<usize>,
    /// Its name, as the end of a variable's name: `PASSWORD`, or the name of a query parameter or an option.
    pub label: String,
}

/// Finds the secrets in a value with this name; the name may be empty. The ranges are sorted and disjoint.
pub fn find_in_setting(name: &str, value: &str) -> Vec<SettingSecret> {
    if let Some(range) = whole_value(name, value) {
        return vec![SettingSecret { range, label: label(name) }];
    }
    let found = find(value, Confidence::Possible).into_iter();
    let setting_secret = |secret: super::search::Secret| {
        let before = value[..secret.span.offset].trim_end_matches([' ', '"', '\'', '\\', ':', '=']);
        let name = before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).next();
        let name = name.filter(|name| is_secret_name(name)).unwrap_or_else(|| noun(secret.what));
        SettingSecret { range: secret.span.range(), label: label(name) }
    };
    found.map(setting_secret).collect()
}

/// Whether a value may be a secret by its name.
fn is_secret_name(name: &str) -> bool {
    static NAME: LazyLock<Regex> = LazyLock::new(|| SECRET_NAME.compile());
    NAME.is_match(name.as_bytes())
}

/// Whether a whole value is a secret because of its name, such as the key of a JSON object.
pub(super) fn is_named_secret(name: &str, value: &str) -> bool {
    static PASSWORD: LazyLock<Regex> = LazyLock::new(|| PASSWORD_NAME.compile());
    is_secret_name(name) && (is_strong(value) || PASSWORD.is_match(name.as_bytes())) && !is_reference(value)
}

/// The noun of a description, for the name of a variable.
fn noun(what: &str) -> &str {
    let nouns = ["password", "cookie", "private key"];
    nouns.into_iter().find(|noun| what.ends_with(noun)).unwrap_or("token")
}

/// Finds the secrets in the arguments of a program: the index of each argument, and the secret in it.
pub fn find_in_arguments(args: &[String]) -> Vec<(usize, SettingSecret)> {
    let mut found = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        let option = index.checked_sub(1).map(|before| args[before].as_str());
        let option = option.filter(|option| option.starts_with('-') && !option.contains('=') && !arg.starts_with('-'));
        // `--header` takes a name and a value.
        if let (Some("-u" | "--user"), Some((user, password))) = (option, arg.split_once(':'))
            && !is_variable(password)
            && !password.bytes().all(|byte| byte.is_ascii_digit())
        {
            found.push((index, SettingSecret { range: user.len() + 1..arg.len(), label: label("password") }));
            continue;
        }
        let (name, start) = match (named_value(arg), option) {
            (Some(named), _) => named,
            (None, Some(option)) => (option, 0),
            (None, None) => ("", 0),
        };
        found.extend(find_in_setting(name, &arg[start..]).into_iter().map(|secret| {
            let range = secret.range.start + start..secret.range.end + start;
            (index, SettingSecret { range, ..secret })
        }));
    }
    found
}

/// The secret name in `--token=x`, `--env=API_KEY=x` or `Authorization: x`, and the offset of the value after it.
fn named_value(arg: &str) -> Option<(&str, usize)> {
    let mut start = 0;
    for (at, separator) in arg.match_indices(['=', ':']).filter(|(at, _)| !arg[*at..].starts_with("://")) {
        let name = &arg[start..at];
        if is_secret_name(name) && !name.contains(char::is_whitespace) {
            let behind = &arg[at + separator.len()..];
            return Some((name, at + separator.len() + behind.len() - behind.trim_start().len()));
        }
        start = at + separator.len();
    }
    None
}

/// Whether a value only refers to environment variables.
pub fn is_variable(value: &str) -> bool {
    let rest = without_scheme(value.trim());
    rest.contains("${") || (rest.starts_with('$') && rest.len() > 1)
}

/// Authentication schemes in front of credentials.
const SCHEMES: [&str; 6] = ["bearer", "basic", "token", "apikey", "digest", "negotiate"];

fn without_scheme(value: &str) -> &str {
    let is_scheme = |first: &str| SCHEMES.iter().any(|scheme| first.eq_ignore_ascii_case(scheme));
    value.split_once(' ').filter(|(first, _)| is_scheme(first)).map_or(value, |(_, rest)| rest)
}

/// The part of a value that is secret because of its name.
fn whole_value(name: &str, value: &str) -> Option<Range<usize>> {
    let trimmed = value.trim();
    let lower = name.to_lowercase();
    // A number is a limit or a switch, except for passwords.
    let is_number = trimmed.chars().all(|c| c.is_ascii_digit()) && !lower.contains("pass") && !lower.contains("secret");
    let is_setting = trimmed.is_empty() || is_number || matches!(trimmed, "true" | "false");
    if is_setting || is_variable(trimmed) || !is_secret_name(name) {
        return None;
    }
    let start = value.len() - without_scheme(value.trim_start()).len();
    // Of a quoted value, the quotes stay.
    if let Some(quote) = value[start..].chars().next().filter(|c| matches!(c, '"' | '\''))
        && let Some(length) = value[start + 1..].find(quote)
    {
        let inner = start + 1..start + 1 + length;
        return (!inner.is_empty() && !is_variable(&value[inner.clone()])).then_some(inner);
    }
    Some(start..value.trim_end().len().max(start))
}

/// The end of a variable's name.
fn label(name: &str) -> String {
    let upper: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    let label = upper.trim_matches('_').to_owned();
    if label.is_empty() { "SECRET".to_owned() } else { label }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEM: &str = concat!(
        "-----BEGIN RSA PRIV",
        "ATE KEY-----\nMIIEpAIBAAKCAQEA7q7Zp2+x/A==\nZm9v\n-----END RSA PRIV",
        "ATE KEY-----"
    );

    /// The value with each secret replaced by its label.
    fn shown(name: &str, value: &str) -> String {
        find_in_setting(name, value).into_iter().rev().fold(value.to_owned(), |mut text, secret| {
            text.replace_range(secret.range, &format!("<{}>", secret.label));
            text
        })
    }

    #[test]
    fn finds_secrets_in_settings() {
        for (name, value, want) in [
            ("API_KEY", "abc", "<API_KEY>"),
            ("Authorization", "Bearer abc", "Bearer <AUTHORIZATION>"),
            ("X", "ghp_0123456789abcdef", "<TOKEN>"),
            ("DB_PASSWORD", "1234", "<DB_PASSWORD>"),
            ("url", "postgres://u:pw@h/db", "postgres://u:<PASSWORD>@h/db"),
            ("url", "mongodb+srv://u:p@w@h/db?ssl=true", "mongodb+srv://u:<PASSWORD>@h/db?ssl=true"),
            ("url", "https://x.example/mcp?api_key=abc&mode=y", "https://x.example/mcp?api_key=<API_KEY>&mode=y"),
            ("HEADERS", r#"{"Authorization": "Bearer q7zp2lxv9mkd"}"#, r#"{"Authorization": "Bearer <BEARER>"}"#),
            ("CONFIG", r#"{"url": "x", "apiKey": "q7zp2lxv9mkd"}"#, r#"{"url": "x", "apiKey": "<APIKEY>"}"#),
            ("BRAVE_KEY", "abc", "<BRAVE_KEY>"),
            ("TOKEN_VALUE", "abc", "<TOKEN_VALUE>"),
            ("dsn", "password=abc host=h", "password=<PASSWORD> host=h"),
            ("dsn", "AccountName=a;AccountKey=abc==;X=y", "AccountName=a;AccountKey=<ACCOUNTKEY>;X=y"),
            ("url", "redis://:pw@h", "redis://:<PASSWORD>@h"),
            ("dsn", "Server=h;User=u;Password=abc;", "Server=h;User=u;Password=<PASSWORD>;"),
        ] {
            assert_eq!(shown(name, value), want, "{name}: {value}");
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
            ("url", "https://example.com/a@b:c?mode=fast"),
            ("url", "postgres://u:${PW}@h/db"),
            ("url", "postgres://u@h:5432/db"),
        ] {
            assert_eq!(find_in_setting(name, value), [], "{name}: {value}");
        }
    }

    #[test]
    fn finds_secrets_in_arguments() {
        let found = |args: &[&str]| {
            let mut args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            for (index, secret) in find_in_arguments(&args).into_iter().rev() {
                args[index].replace_range(secret.range, &format!("<{}>", secret.label));
            }
            args.join(" ")
        };
        for (args, want) in [
            (&["--api-key", "abc"][..], "--api-key <API_KEY>"),
            (&["--token=abc"], "--token=<TOKEN>"),
            (&["-y", "glpat-0123456789abcdef"], "-y <TOKEN>"),
            (&["--header", "Authorization: Bearer abc"], "--header Authorization: Bearer <AUTHORIZATION>"),
            (&["postgres://u:pw@h/db"], "postgres://u:<PASSWORD>@h/db"),
            (&["-e", "API_KEY=abc"], "-e API_KEY=<API_KEY>"),
            (&["--env=API_KEY=abc"], "--env=API_KEY=<API_KEY>"),
            (&["-u", "me:abc"], "-u me:<PASSWORD>"),
            (&["-u", "1000:1000"], "-u 1000:1000"),
            (&[r#"--config={"apiKey":"q7zp2lxv9mkd"}"#], r#"--config={"apiKey":"<APIKEY>"}"#),
            (&["--header", "X-Trace: a"], "--header X-Trace: a"),
            (&["--api-key", "${KEY}"], "--api-key ${KEY}"),
            (&["--token=${T}"], "--token=${T}"),
            (&["--api-key", "--verbose"], "--api-key --verbose"),
            (&["-y", "server"], "-y server"),
            (&["--cert", PEM, "x"], "--cert <PRIVATE_KEY> x"),
            (&[&format!("--cert={PEM}")], "--cert=<PRIVATE_KEY>"),
        ] {
            assert_eq!(found(args), want);
        }
    }
}
