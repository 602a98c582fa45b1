//! `unapproved-host`: if the team lists approved hosts, other hosts may not be read.

use super::GuardInput;
use super::clients::{
    CLIENTS, CLOUDS, COPIES, Client, HOST_OPTIONS, HostPosition, LISTS, REDIRECTS, SENDS, SENDS_SHORT,
};
use super::url::{AddressHost, host_in_browser, host_of_address, host_of_url, hosts_in_curl};
use crate::matching::options::subcommand;
use crate::policy::Policy;
use crate::shell::{SimpleCommand, Word};
use crate::verdict::{Verdict, VerdictReason};

const RULE: &str = "approved domains";
/// Git subcommands that contact a host.
const GIT: [&str; 8] = ["clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule", "archive"];

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    if input.simple.wraps || !input.policy.decides_about_hosts() {
        return Vec::new();
    }
    let hosts = contacted_hosts(input.simple);
    let mut found: Vec<VerdictReason> = hosts.iter().filter_map(|host| check_host(host, input.policy)).collect();
    let is_remote = |host: &AddressHost| !matches!(host, AddressHost::Known(name) if is_local(name));
    if input.policy.names_hosts && sends(input.simple, hosts.iter().any(is_remote)) {
        found.push(VerdictReason::guard(Verdict::Ask, RULE, "it sends data; approved domains may only be read"));
    }
    found.retain(|reason| reason.verdict != Verdict::Unlisted);
    found
}

/// Checks whether the host of a fetch may be read.
pub fn check_address(address: &str, policy: &Policy) -> Option<VerdictReason> {
    policy.decides_about_hosts().then(|| host_in_browser(address)).flatten().and_then(|host| check_host(&host, policy))
}

/// Checks an address that a browser and other programs read differently.
pub fn check_ambiguous_address(address: &str, policy: &Policy) -> Vec<VerdictReason> {
    if !policy.decides_about_hosts() || !address.contains('\\') || !address.contains('@') {
        return Vec::new();
    }
    hosts_in_curl(address).iter().filter_map(|host| check_host(host, policy)).collect()
}

fn check_host(host: &AddressHost, policy: &Policy) -> Option<VerdictReason> {
    if let AddressHost::Known(host) = host
        && let Some(reason) = restriction(host, policy)
    {
        return Some(reason);
    }
    if !policy.names_hosts {
        return None;
    }
    // A setting that allows does not approve: the tool decides.
    let verdict = policy.settings.hosts.max(Verdict::Unlisted);
    let AddressHost::Known(host) = host else {
        return Some(VerdictReason::guard(verdict.min(Verdict::Ask), RULE, "it contacts an unknown host"));
    };
    if is_local(host) || policy.hosts().any(|(approved, _)| approved == host) {
        return None;
    }
    let location = policy.hosts().next().map(|(_, at)| at.clone());
    let message = format!("it contacts `{host}`, which is not listed under \"Approved domains\"");
    (verdict > Verdict::Unlisted).then(|| VerdictReason { verdict, rule: RULE.to_owned(), location, message })
}

/// The strictest entry about a host or a domain above it.
fn restriction(host: &str, policy: &Policy) -> Option<VerdictReason> {
    let is_in = |domain: &str| host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
    let found = policy.restricted_hosts().filter(|(domain, _)| is_in(domain));
    let (domain, listed) = found.max_by_key(|(_, listed)| listed.entry.decision)?;
    Some(VerdictReason {
        verdict: listed.entry.decision,
        rule: listed.entry.section.name().to_owned(),
        location: Some(listed.location.clone()),
        message: format!("it contacts `{host}`, and the page restricts `{domain}`"),
    })
}

fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "::1" | "0.0.0.0") || host.starts_with("127.") || host.ends_with(".localhost")
}

/// Lists the hosts that a command contacts.
fn contacted_hosts(simple: &SimpleCommand) -> Vec<AddressHost> {
    let mut hosts: Vec<AddressHost> = simple.redirects.iter().filter_map(|redirect| device(&redirect.target)).collect();
    let (Some(program), Some(args)) = (simple.program(), simple.words.get(1..)) else { return hosts };
    if program == "git" {
        let args = subcommand("git", args);
        let sub = args.first().map_or("", |word| word.text.as_str());
        if GIT.contains(&sub) {
            // `feature:main` after the remote is a refspec.
            let is_spec = |at: usize| at > 1 && matches!(sub, "push" | "fetch" | "pull");
            let plain = args.iter().skip(1).filter(|word| !word.text.starts_with('-'));
            let named = plain.enumerate().filter(|(at, _)| !is_spec(*at + 1)).map(|(_, word)| word);
            hosts.extend(named.filter_map(remote));
            hosts.extend(args.iter().filter(|word| word.text.starts_with('-')).filter_map(remote));
            hosts.extend(
                (sub == "clone")
                    .then(|| args.iter().skip(1).find(|word| is_unknown(word)))
                    .flatten()
                    .map(|_| AddressHost::Unknown),
            );
        }
    } else if let Some(client) = CLIENTS.iter().find(|client| client.names.contains(&program)) {
        hosts.extend(hosts_of(client, program, args));
    }
    hosts.sort();
    hosts.dedup();
    hosts
}

fn is_unknown(word: &Word) -> bool {
    word.text.starts_with('\0')
}

fn hosts_of(client: &Client, program: &str, args: &[Word]) -> Vec<AddressHost> {
    let mut hosts = Vec::new();
    let mut plain: Vec<&Word> = Vec::new();
    let is_listening = client.host == HostPosition::First
        && args.iter().any(|word| {
            word.text == "--listen" || word.text.starts_with("-l") && program != "ssh" && !program.starts_with("auto")
        });
    let takes_file = matches!(program, "curl" | "wget" | "wget2" | "aria2c" | "curlie");
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if !text.starts_with('-') || text == "-" {
            plain.push(word);
            continue;
        }
        let (name, glued) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        // `-xHOST` is `-x HOST`; `-sSx HOST` too.
        let is_short = !text.starts_with("--") && text.len() > 2;
        let short = is_short.then(|| HOST_OPTIONS.iter().find_map(|option| text.strip_prefix(option))).flatten();
        if client.host == HostPosition::Urls {
            hosts.extend(glued.and_then(host_of_url));
            if glued.is_none() && client.takes.contains(&name) {
                rest.next();
            }
        } else if let Some(value) = short.filter(|_| matches!(program, "curl" | "ssh" | "autossh" | "scp" | "sftp")) {
            hosts.extend(host_of_address(value.rsplit('@').next().unwrap_or(value)));
        } else if HOST_OPTIONS.contains(&name) && !(client.takes.contains(&name)) {
            let value = glued.map(str::to_owned).or_else(|| rest.next().map(|word| word.text.clone()));
            hosts.extend(value.as_deref().and_then(host_of_address));
        } else if REDIRECTS.contains(&name) {
            let value =
                glued.map(str::to_owned).or_else(|| rest.next().map(|word| word.text.clone())).unwrap_or_default();
            hosts.extend(value.split(':').filter(|part| part.contains('.')).filter_map(host_of_address));
        } else if takes_file && LISTS.contains(&name) {
            hosts.push(AddressHost::Unknown);
            if glued.is_none() {
                rest.next();
            }
        } else if let Some(value) = setting(text, glued, args) {
            hosts.extend(host_of_address(value.rsplit('@').next().unwrap_or(value)));
            if text == "-o" {
                rest.next();
            }
        } else if glued.is_none() && takes_value(client, text) {
            rest.next();
        }
    }
    let first = || {
        let is_method = |word: &&&Word| word.text.len() < 8 && word.text.chars().all(|c| c.is_ascii_uppercase());
        plain.iter().find(|word| !is_method(word)).copied()
    };
    match client.host {
        HostPosition::Every if program.starts_with("curl") && !globs_are_off(args) => {
            hosts.extend(plain.iter().flat_map(|word| hosts_in_curl(&word.text)));
        }
        HostPosition::Every => hosts.extend(plain.iter().filter_map(|word| address(&word.text))),
        HostPosition::First if is_listening => {}
        HostPosition::First => {
            let text = first().map(|word| word.text.rsplit('@').next().unwrap_or(&word.text).to_owned());
            hosts.extend(text.as_deref().and_then(address));
        }
        HostPosition::Remote => hosts.extend(plain.iter().filter_map(|word| remote(word))),
        HostPosition::Urls => {
            let is_url = |word: &&&Word| !word.text.contains(char::is_whitespace);
            let named = |word: &&Word| {
                host_of_url(&word.text)
                    .or_else(|| remote(word).into_iter().next().filter(|_| is_git_address(&word.text)))
            };
            hosts.extend(plain.iter().filter(is_url).filter_map(named));
        }
        HostPosition::Channel => hosts.extend(plain.iter().filter_map(|word| channel(&word.text))),
        HostPosition::Mailbox => {
            hosts.extend(
                plain.iter().filter_map(|word| word.text.split_once('@')).filter_map(|(_, host)| host_of_address(host)),
            );
        }
    }
    hosts
}

/// Returns the host in `-o ProxyJump=HOST` and `-o HostName=HOST`.
fn setting<'w>(text: &'w str, glued: Option<&'w str>, args: &'w [Word]) -> Option<&'w str> {
    let names = ["proxyjump", "hostname"];
    if let (Some(name), Some(value)) = (text.strip_prefix("-o").and_then(|rest| rest.split('=').next()), glued) {
        return names.contains(&name.to_lowercase().as_str()).then_some(value);
    }
    let next =
        (text == "-o").then(|| args.windows(2).find(|two| std::ptr::eq(two[0].text.as_str(), text))).flatten()?;
    let (name, value) = next[1].text.split_once('=')?;
    names.contains(&name.to_lowercase().as_str()).then_some(value)
}

/// Checks whether an option takes the next argument: `-o`, or the last letter of `-fsSLo`.
fn takes_value(client: &Client, text: &str) -> bool {
    let last = text.chars().next_back().map(|letter| format!("-{letter}")).unwrap_or_default();
    let is_cluster = !text.starts_with("--") && text.len() > 2 && text[1..].chars().all(|c| c.is_ascii_alphabetic());
    let is_first_valued = || client.takes.iter().any(|option| option.len() == 2 && text.starts_with(option));
    client.takes.contains(&text) || is_cluster && !is_first_valued() && client.takes.contains(&last.as_str())
}

/// Checks for `curl -g`, which leaves braces and brackets in addresses alone.
fn globs_are_off(args: &[Word]) -> bool {
    args.iter().any(|word| matches!(word.text.as_str(), "-g" | "--globoff"))
}

fn address(text: &str) -> Option<AddressHost> {
    if text.starts_with('\0') {
        return Some(AddressHost::Unknown);
    }
    host_of_address(text)
}

/// Returns the host of a URL, `user@host:path` or `host:path`, and of an option's value.
fn remote(word: &Word) -> Option<AddressHost> {
    let text = word.text.as_str();
    if text.starts_with('-') {
        let (name, value) = text.split_once('=')?;
        return if name == "--remote" { remote(&Word::new(value)) } else { host_of_url(value) };
    }
    if let Some(host) = host_of_url(text) {
        return Some(host);
    }
    let (before, _) = text.split_once(':').filter(|(_, rest)| !rest.starts_with("//"))?;
    let is_path = before.contains('/') || before.starts_with('.') || before.len() < 2 || before.starts_with('+');
    let host = before.rsplit('@').next().unwrap_or(before);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_') || !c.is_ascii();
    (!is_path && !host.is_empty() && host.chars().all(is_name)).then(|| host_of_address(host)).flatten()
}

fn is_git_address(text: &str) -> bool {
    text.split_once(':')
        .is_some_and(|(before, _)| before.contains('@') && before.contains('.') && !before.starts_with('@'))
}

/// Parses an address of `socat`: `tcp:HOST:PORT`, but not `tcp-listen:PORT`.
fn channel(text: &str) -> Option<AddressHost> {
    let mut parts = text.split([':', ',']);
    let kind = parts.next()?.to_lowercase();
    let host = parts.next()?;
    let is_network =
        ["tcp", "udp", "openssl", "ssl", "sctp", "socks", "proxy"].iter().any(|name| kind.starts_with(name));
    (is_network && !kind.contains("listen")).then(|| address(host)).flatten()
}

/// Parses `/dev/tcp/host/port`.
fn device(word: &Word) -> Option<AddressHost> {
    let rest = word.text.strip_prefix("/dev/tcp/").or_else(|| word.text.strip_prefix("/dev/udp/"))?;
    rest.split('/').next().and_then(address)
}

/// Checks whether a command sends data to a host that is not this machine.
fn sends(simple: &SimpleCommand, is_remote: bool) -> bool {
    let Some(program) = simple.program() else { return false };
    let args = &simple.words[1..];
    if CLOUDS.contains(&program) {
        let copies = args.iter().any(|word| COPIES.contains(&word.text.as_str()));
        let uploads = args.iter().any(|word| word.text == "upload");
        let last = args.iter().rfind(|word| !word.text.starts_with('-'));
        return uploads || copies && is_remote_path(last);
    }
    if !is_remote {
        return false;
    }
    let flag = |word: &Word| {
        let text = word.text.as_str();
        SENDS.iter().any(|flag| text.starts_with(flag)) || SENDS_SHORT.iter().any(|flag| text.starts_with(flag))
    };
    let posts = |word: &Word| {
        let text = word.text.trim_start_matches("--request=").trim_start_matches("--method=");
        let method = text.trim_start_matches("-X").trim_start_matches('=').to_uppercase();
        matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE")
    };
    let is_fetch = CLIENTS
        .iter()
        .take_while(|client| !client.names.contains(&"ssh"))
        .any(|client| client.names.contains(&program));
    match program {
        _ if is_fetch => args.iter().any(|word| flag(word) || posts(word)),
        "scp" | "rsync" => args.last().is_some_and(|word| remote(word).is_some()),
        "nc" | "ncat" | "netcat" => true,
        _ => false,
    }
}

fn is_remote_path(word: Option<&Word>) -> bool {
    word.is_some_and(|word| {
        word.text.contains("://")
            || word.text.split_once(':').is_some_and(|(name, _)| name.len() > 1 && !name.contains('/'))
    })
}
