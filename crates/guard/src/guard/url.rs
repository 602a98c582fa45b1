//! The host of an address, as browsers and `curl` read it.

use crate::matching::braces;
use url::{Host, ParseError, Url};

/// Schemes of addresses that a browser contacts.
const WEB: [&str; 6] = ["http", "https", "ftp", "ftps", "ws", "wss"];

/// The host that an address names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AddressHost {
    Known(String),
    /// It cannot be known, or programs disagree about it.
    Unknown,
}

/// Returns the host that a browser contacts for a URL, as the WHATWG standard reads it; `None` if there is none, as for
/// `about:blank` or a path.
pub fn host_in_browser(text: &str) -> Option<AddressHost> {
    let text = text.trim_matches(|c: char| c.is_ascii_control() || c == ' ');
    let text = text.strip_prefix("view-source:").unwrap_or(text);
    let parsed = match Url::parse(text) {
        // `example.com:80` and `localhost:80` are no schemes.
        Ok(url) if url.scheme().contains('.') || is_port(url.path()) => Url::parse(&format!("https://{text}")),
        Err(ParseError::RelativeUrlWithoutBase) => return relative_host(text),
        parsed => parsed,
    };
    match parsed {
        Ok(url) if WEB.contains(&url.scheme()) || url.has_host() && url.scheme() != "file" => url.host().map(known),
        Ok(_) => None,
        Err(_) => Some(AddressHost::Unknown),
    }
}

/// Returns the host of an address without a scheme: `//example.com`, `example.com/x`, but not `/x` or `x`.
fn relative_host(text: &str) -> Option<AddressHost> {
    let slashes = text.chars().take_while(|c| matches!(c, '/' | '\\')).count();
    let name = text.split(['/', '\\', '?', '#']).next().expect("split is never empty");
    let is_host = slashes == 0 && name.contains('.') && !name.starts_with('.');
    if slashes < 2 && !is_host {
        return None;
    }
    let parsed = Url::parse(&format!("https://{}", &text[slashes..]));
    Some(parsed.ok().and_then(|url| url.host().map(known)).unwrap_or(AddressHost::Unknown))
}

fn is_port(path: &str) -> bool {
    let digits = path.split('/').next().expect("split is never empty");
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
}

fn known<S: AsRef<str>>(host: Host<S>) -> AddressHost {
    AddressHost::Known(match host {
        Host::Domain(name) => name.as_ref().trim_end_matches('.').to_lowercase(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    })
}

/// Returns the hosts that `curl` contacts for an address: it expands braces, and its host begins after the last `@`.
pub fn hosts_in_curl(text: &str) -> Vec<AddressHost> {
    let text = text.trim();
    let (scheme, rest) = match text.split_once(":/") {
        Some((scheme, rest)) if scheme.chars().all(|c| c.is_ascii_alphabetic()) => (scheme, rest),
        _ => ("http", text),
    };
    let rest = rest.trim_start_matches('/');
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let Some(expanded) = braces(&rest[..end]) else { return vec![AddressHost::Unknown] };
    let mut hosts: Vec<AddressHost> = expanded
        .iter()
        .filter_map(|authority| {
            let name = authority.rsplit('@').next().unwrap_or(authority);
            // Other programs read `a\\@b` as `a`, but `curl` contacts `b`.
            let is_split = authority.len() > name.len() && authority.contains('\\') && !authority.contains('\0');
            host_of_address(&if is_split { format!("{scheme}://{name}") } else { format!("{scheme}://{authority}") })
        })
        .collect();
    if rest.is_empty() || scheme.eq_ignore_ascii_case("file") {
        hosts.clear();
    } else if text.split_once(':').is_some_and(|(before, _)| WEB.contains(&before.to_lowercase().as_str()))
        && scheme == "http"
    {
        hosts.extend(host_of_url(text));
    }
    hosts
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
    let authority = rest.split(['/', '?', '#']).next().expect("split is never empty");
    // An unknown port does not change the host.
    let (name, port) = authority.split_once(':').unwrap_or((authority, ""));
    if port.contains('\0') && !name.contains(['\0', '@']) {
        return host(&format!("{scheme}://{name}"), scheme);
    }
    let has_range =
        authority.contains('[') && !authority.rsplit('@').next().expect("split is never empty").starts_with('[');
    if authority.contains(['\\', '\0', '{', '}', '\t', '\n', ' ']) || has_range {
        return Some(AddressHost::Unknown);
    }
    let is_special = matches!(scheme, "http" | "https" | "ftp" | "ws" | "wss");
    let text = if is_special { format!("{scheme}://{rest}") } else { format!("http://{rest}") };
    match Url::parse(&text).ok().and_then(|url| url.host().map(known)) {
        Some(host) => Some(host),
        None if authority.is_empty() => None,
        None => Some(AddressHost::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(host: &AddressHost) -> &str {
        match host {
            AddressHost::Known(host) => host,
            AddressHost::Unknown => "?",
        }
    }

    #[test]
    fn browsers_follow_the_standard() {
        for (text, want) in [
            ("https://a.example/x", Some("a.example")),
            ("https:a.example", Some("a.example")),
            ("https:\\\\a.example\\x", Some("a.example")),
            ("ht\ttps://a.exa\nmple", Some("a.example")),
            ("https://b.example,@a.example/", Some("a.example")),
            ("https://b.example:443@a.example/", Some("a.example")),
            ("https://a.example\\@b.example/", Some("a.example")),
            ("https://a%2eexample/", Some("a.example")),
            ("https://\u{ff41}.example/", Some("a.example")),
            ("https://0x7f.1/", Some("127.0.0.1")),
            ("view-source:https://a.example", Some("a.example")),
            ("//a.example/x", Some("a.example")),
            ("\\\\a.example", Some("a.example")),
            ("a.example/x", Some("a.example")),
            ("a.example:80/x", Some("a.example")),
            ("localhost:80/x", Some("localhost")),
            ("https://a b.example", Some("?")),
            ("about:blank", None),
            ("data:text/html,x", None),
            ("file:///etc/hosts", None),
            ("/x", None),
            ("x", None),
            ("#x", None),
            ("", None),
        ] {
            assert_eq!(host_in_browser(text).as_ref().map(shown), want, "{text:?}");
        }
    }

    #[test]
    fn curl_has_its_own_rules() {
        for (text, want) in [
            ("https://{a,b}.example/{x,y}", vec!["a.example", "b.example"]),
            ("a.example", vec!["a.example"]),
            ("https:/a.example", vec!["a.example"]),
            ("https:///a.example", vec!["a.example"]),
            ("https://b.example\\@a.example/", vec!["a.example"]),
            ("https://u:p@a.example/x", vec!["a.example"]),
            ("https://a.example/[1-3]", vec!["a.example"]),
            ("https://[a-c].example/", vec!["?"]),
            ("https://{a,b.example/", vec!["?"]),
            ("a.example?x=http://b.example", vec!["a.example"]),
            ("a.example:80", vec!["a.example"]),
            ("file:///etc/hosts", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(hosts_in_curl(text).iter().map(shown).collect::<Vec<_>>(), want, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "(https?:|//|\\\\|[a-z@:.,{}\\[\\]/\\\\%#?\0\t]){0,24}|\\PC{0,40}") {
            host_in_browser(&text);
            hosts_in_curl(&text);
            host_of_url(&text);
            host_of_address(&text);
        }

        /// Whatever surrounds the host, a browser contacts the host.
        #[test]
        fn decoration_does_not_hide_a_host(user in "[a-z,.:!$]{0,8}", slashes in "[/\\\\]{2,4}", end in "|/|\\\\|[?#][a-z@.]{0,5}|:81/") {
            let text = format!("https:{slashes}{user}@a.example{end}");
            proptest::prop_assert_eq!(host_in_browser(&text), Some(AddressHost::Known("a.example".to_owned())));
        }
    }

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
            assert_eq!(host_of_url(text).as_ref().map(shown), want, "{text}");
        }
        for (text, want) in [("a.example/x", "a.example"), ("a:8080", "a"), ("a/", "a"), ("//a.example", "a.example")] {
            assert_eq!(host_of_address(text), Some(AddressHost::Known(want.to_owned())), "{text}");
        }
    }
}
