//! The host of an address, as URL parsers and `curl` read it.

use url::{Host, Url};

/// The host that an address names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AddressHost {
    Known(String),
    /// It cannot be known, or programs disagree about it.
    Unknown,
}

/// Returns the host of a URL; `None` if it names none, as `file:` does.
pub fn host_of_url(text: &str) -> Option<AddressHost> {
    let text = text.trim();
    let scheme = scheme(text)?;
    if matches!(scheme.as_str(), "file" | "data" | "mailto" | "javascript" | "about" | "blob" | "urn") {
        return None;
    }
    host(text, &scheme)
}

/// Returns the host of an address without a scheme, as `curl` accepts it: `example.com/x`, `localhost:8000`.
pub fn host_of_address(text: &str) -> Option<AddressHost> {
    let text = text.trim();
    if scheme(text).is_some() {
        return host_of_url(text);
    }
    let rest = text.trim_start_matches('/');
    if rest.is_empty() { None } else { host(&format!("http://{rest}"), "http") }
}

/// Returns the scheme of a URL; a name before a port, as in `localhost:80`, does not count.
fn scheme(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once(':')?;
    let scheme = scheme.rsplit('+').next().unwrap_or(scheme);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(plain);
    let lower = scheme.to_lowercase();
    let is_web = matches!(lower.as_str(), "http" | "https" | "ftp" | "ftps" | "ws" | "wss");
    (is_scheme && (rest.starts_with("//") || is_web && !rest.is_empty())).then_some(lower)
}

fn host(text: &str, scheme: &str) -> Option<AddressHost> {
    // A URL parser drops the tab or reads the backslash as a slash, `curl` does not; `curl` expands braces and brackets.
    let rest = text.split_once(':').map_or(text, |(_, rest)| rest).trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // An unknown port does not change the host.
    let (name, port) = authority.split_once(':').unwrap_or((authority, ""));
    if port.contains('\0') && !name.contains(['\0', '@']) {
        return host(&format!("{scheme}://{name}"), scheme);
    }
    let has_range = authority.contains('[') && !authority.rsplit('@').next().unwrap_or_default().starts_with('[');
    if authority.contains(['\\', '\0', '{', '}', '\t', '\n', ' ']) || has_range {
        return Some(AddressHost::Unknown);
    }
    let is_special = matches!(scheme, "http" | "https" | "ftp" | "ws" | "wss");
    let text = if is_special { format!("{scheme}://{rest}") } else { format!("http://{rest}") };
    match Url::parse(&text).ok().and_then(|url| url.host().map(|host| host.to_owned())) {
        Some(Host::Domain(name)) => Some(AddressHost::Known(name.trim_end_matches('.').to_lowercase())),
        Some(Host::Ipv4(address)) => Some(AddressHost::Known(address.to_string())),
        Some(Host::Ipv6(address)) => Some(AddressHost::Known(address.to_string())),
        None if authority.is_empty() => None,
        None => Some(AddressHost::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_those_that_programs_contact() {
        for (text, want) in [
            ("https://a.example/x", Some("a.example")),
            ("HTTPS://A.Example.", Some("a.example")),
            ("https://u:p@a.example:8443/", Some("a.example")),
            ("https://b.example@a.example", Some("a.example")),
            ("https://b.example#@a.example/", Some("b.example")),
            ("https:a.example", Some("a.example")),
            ("git+https://a.example/r", Some("a.example")),
            ("ssh://git@a.example/r", Some("a.example")),
            ("http://0x7f000001/", Some("127.0.0.1")),
            ("https://[::1]:80/", Some("::1")),
            ("https://b\u{fc}cher.example", Some("xn--bcher-kva.example")),
            ("https://a.example\\@b.example", Some("?")),
            ("https://{a,b}.example", Some("?")),
            ("https://[a-z].example", Some("?")),
            ("https://\0/x", Some("?")),
            ("file:///etc/hosts", None),
            ("name:tag", None),
            ("plain", None),
        ] {
            let found = host_of_url(text).map(|host| match host {
                AddressHost::Known(host) => host,
                AddressHost::Unknown => "?".to_owned(),
            });
            assert_eq!(found.as_deref(), want, "{text}");
        }
        for (text, want) in [("a.example/x", "a.example"), ("a:8080", "a"), ("a/", "a"), ("//a.example", "a.example")] {
            assert_eq!(host_of_address(text), Some(AddressHost::Known(want.to_owned())), "{text}");
        }
    }
}
