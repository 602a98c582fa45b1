//! `unapproved-host`: if the team lists approved hosts, other hosts may not be read.

use super::GuardInput;
use crate::protocol::matching::options::subcommand;
use crate::protocol::policy::Policy;
use crate::protocol::shell::{SimpleCommand, Word};
use crate::protocol::verdict::{Verdict, VerdictReason};

const RULE: &str = "approved domains";
/// Programs that treat URLs as text.
const TEXTS: [&str; 14] =
    ["echo", "printf", "grep", "rg", "sed", "awk", "jq", "test", "[", "cat", "ls", "canonry", "basename", "export"];
/// Programs that accept a host without a scheme.
const FETCH: [&str; 6] = ["curl", "wget", "http", "https", "xh", "aria2c"];
/// Options of these programs that take a value.
const TAKES: [&str; 26] = [
    "-o",
    "-d",
    "-H",
    "-X",
    "-u",
    "-A",
    "-e",
    "-F",
    "-T",
    "-x",
    "-b",
    "-c",
    "-m",
    "-w",
    "-K",
    "-P",
    "-O",
    "-U",
    "--data",
    "--header",
    "--request",
    "--user",
    "--output",
    "--form",
    "--user-agent",
    "--output-document",
];
/// Options that send data.
const SENDS: [&str; 14] = [
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "-F",
    "--form",
    "-T",
    "--upload-file",
    "--json",
    "--post-data",
    "--post-file",
    "--body-data",
    "--body-file",
];

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    if input.simple.wraps || !input.policy.names_hosts {
        return Vec::new();
    }
    let (hosts, has_unknown) = contacted_hosts(input.simple);
    let mut found: Vec<VerdictReason> = hosts.iter().filter_map(|host| check_host(host, input.policy)).collect();
    if has_unknown {
        let verdict = Verdict::from(input.policy.settings.hosts).min(Verdict::Ask);
        found.push(VerdictReason::guard(verdict, RULE, "it contacts an unknown host"));
    }
    let remote = hosts.iter().any(|host| !is_local(host));
    if remote && sends(input.simple) {
        found.push(VerdictReason::guard(Verdict::Ask, RULE, "it sends data; approved domains may only be read"));
    }
    found.retain(|reason| reason.verdict != Verdict::Unlisted);
    found
}

/// Checks whether a host may be read.
pub fn check_host(host: &str, policy: &Policy) -> Option<VerdictReason> {
    if !policy.names_hosts || is_local(host) || policy.hosts().any(|(approved, _)| approved == host) {
        return None;
    }
    let verdict = Verdict::from(policy.settings.hosts);
    let location = policy.hosts().next().map(|(_, at)| at.clone());
    let message = format!("it contacts `{host}`, which is not listed under \"Approved domains\"");
    (verdict > Verdict::Unlisted).then(|| VerdictReason { verdict, rule: RULE.to_owned(), location, message })
}

fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "::1" | "0.0.0.0") || host.ends_with(".localhost")
}

/// Returns the hosts that a command contacts, and whether it also contacts an unknown host.
fn contacted_hosts(simple: &SimpleCommand) -> (Vec<String>, bool) {
    let program = simple.program().unwrap_or("\0");
    let Some(args) = simple.words.get(1..) else { return (Vec::new(), false) };
    let sub = subcommand(program, args).first().map_or("", |word| word.text.as_str());
    let is_text = TEXTS.contains(&program)
        || program == "git" && matches!(sub, "commit" | "tag" | "log" | "grep" | "notes" | "config");
    let mut hosts: Vec<String> = simple.redirects.iter().filter_map(|redirect| device(&redirect.target)).collect();
    let mut has_unknown = false;
    if is_text {
        return (hosts, false);
    }
    hosts.extend(args.iter().filter(|word| word.text.contains("://")).filter_map(|word| host_of(&word.text)));
    let plain = plain(args);
    match program {
        program if FETCH.contains(&program) => {
            hosts.extend(plain.iter().filter(|word| !word.text.contains("://")).filter_map(|word| bare(&word.text)));
            has_unknown = plain.iter().any(|word| is_unknown_host(word));
        }
        "ssh" | "sftp" | "telnet" | "nc" | "ncat" | "netcat" | "ftp" | "ssh-copy-id" => {
            let first = plain.first();
            hosts.extend(first.filter(|word| word.is_known()).map(|word| remote(&word.text)));
            has_unknown = first.is_some_and(|word| !word.is_known());
        }
        "scp" | "rsync" => hosts.extend(plain.iter().filter_map(|word| copied(&word.text))),
        "git" if matches!(sub, "clone" | "fetch" | "pull" | "push" | "ls-remote" | "remote" | "submodule") => {
            hosts.extend(plain.iter().filter_map(|word| copied(&word.text)));
            has_unknown = sub == "clone" && plain.get(1).is_some_and(|word| is_unknown_host(word));
        }
        _ => {}
    }
    hosts.sort();
    hosts.dedup();
    (hosts, has_unknown)
}

/// Lists the arguments that are neither options nor their values.
fn plain(args: &[Word]) -> Vec<&Word> {
    let before = |at: usize| at.checked_sub(1).and_then(|at| args.get(at)).map_or("", |word| word.text.as_str());
    let is_plain = |(at, word): &(usize, &Word)| !word.text.starts_with('-') && !TAKES.contains(&before(*at));
    args.iter().enumerate().filter(is_plain).map(|(_, word)| word).collect()
}

fn is_unknown_host(word: &Word) -> bool {
    let text = word.text.split_once("://").map_or(word.text.as_str(), |(_, rest)| rest);
    text.split('/').next().is_some_and(|host| host.contains('\0'))
}

/// Returns the host of a URL.
pub fn host_of(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    // A text that contains a URL is not a URL.
    if scheme.contains(char::is_whitespace) {
        return None;
    }
    let is_file = scheme.rsplit(|c: char| !c.is_ascii_alphanumeric()).next() == Some("file");
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = remote(authority);
    (!is_file && !host.is_empty() && !host.contains('\0')).then_some(host)
}

/// Removes the user and the port: `user@host:port`.
fn remote(text: &str) -> String {
    let host = text.rsplit('@').next().unwrap_or(text);
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.split(':').next().unwrap_or(host),
    };
    host.trim_end_matches('.').to_lowercase()
}

/// Parses `example.com/x` and `localhost:8000`.
fn bare(text: &str) -> Option<String> {
    let schemes = ["http:", "https:", "ftp:"];
    let text = schemes.iter().find_map(|scheme| text.strip_prefix(scheme)).unwrap_or(text).trim_start_matches('/');
    let host = remote(text.split(['/', '?']).next()?);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    (host == "localhost" || host.contains('.') && host.chars().all(plain) && !host.starts_with('.')).then_some(host)
}

/// Parses `user@host:path` and `host:path`.
fn copied(text: &str) -> Option<String> {
    let (before, _) = text.split_once(':').filter(|(_, rest)| !rest.starts_with("//"))?;
    let is_path = before.contains('/') || before.starts_with('.') || before.is_empty();
    let is_name = before.contains('@') || before.contains('.');
    (!is_path && is_name).then(|| remote(before))
}

/// Parses `/dev/tcp/host/port`.
fn device(word: &Word) -> Option<String> {
    let rest = word.text.strip_prefix("/dev/tcp/").or_else(|| word.text.strip_prefix("/dev/udp/"))?;
    rest.split('/').next().map(str::to_lowercase)
}

fn sends(simple: &SimpleCommand) -> bool {
    let Some(program) = simple.program() else { return false };
    let args = &simple.words[1..];
    let flag = |word: &Word| {
        SENDS
            .iter()
            .any(|flag| word.text == *flag || flag.starts_with("--") && word.text.starts_with(&format!("{flag}=")))
    };
    let posts = |word: &Word| {
        matches!(
            word.text.to_uppercase().as_str(),
            "POST" | "PUT" | "PATCH" | "DELETE" | "-XPOST" | "-XPUT" | "-XPATCH" | "-XDELETE"
        )
    };
    match program {
        program if FETCH.contains(&program) => args.iter().any(|word| flag(word) || posts(word)),
        "scp" | "rsync" => args.last().is_some_and(|word| copied(&word.text).is_some()),
        "nc" | "ncat" | "netcat" => true,
        _ => false,
    }
}
