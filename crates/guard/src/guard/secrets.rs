//! `secret-read`: files that hold secrets, by name or by the team's policy.

use super::GuardInput;
use crate::files::reads;
use crate::matching::braces;
use crate::matching::path::{PathScope, covers, glob};
use crate::policy::Policy;
use crate::shell::{Script, SimpleCommand, Word};
use crate::verdict::{Verdict, VerdictReason};
use canonry_model::canon::permissions::PermissionSubject;
use std::collections::BTreeSet;

const RULE: &str = "canonry's guard `secret-read`";

/// Names of files and folders with secrets.
const SECRETS: [&str; 25] = [
    ".env",
    ".env.*",
    ".envrc",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    ".netrc",
    ".git-credentials",
    ".pgpass",
    ".ssh/",
    ".aws/",
    ".gnupg/",
    ".npmrc.local",
    // https://man7.org/linux/man-pages/man5/proc_pid_environ.5.html
    "/proc/*/environ",
    // https://docs.docker.com/reference/cli/docker/login/#default-behavior
    "**/.docker/config.json",
    // https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
    "**/.kube/config",
    // https://cli.github.com/manual/gh_auth_login
    "**/.config/gh/hosts.yml",
    // https://cloud.google.com/docs/authentication/application-default-credentials#personal
    "**/.config/gcloud",
    // https://packaging.python.org/en/latest/specifications/pypirc/
    ".pypirc",
    // https://doc.rust-lang.org/cargo/reference/config.html#credentials
    "**/.cargo/credentials.toml",
    // https://developer.hashicorp.com/terraform/cli/config/config-file#credentials-1
    "**/.terraform.d/credentials.tfrc.json",
    // https://docs.claude.com/en/docs/claude-code/iam#credential-management
    "**/.claude/.credentials.json",
    // https://developers.openai.com/codex/auth
    "**/.codex/auth.json",
    // https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/config/storage.ts
    "**/.gemini/oauth_creds.json",
];
/// The last part of the names of example files without secrets, and of public keys.
const EXAMPLES: [&str; 8] = ["example", "sample", "template", "dist", "defaults", "tmpl", "schema", "pub"];
/// Names that a pattern for everything matches.
const ORDINARY: [&str; 6] = ["readme.md", "main.rs", "index.ts", "app.py", "data.json", "Makefile"];
/// File names that a shell pattern is likely to match.
const LIKELY: [&str; 8] =
    [".env", ".env.local", ".env.production", ".env.development", ".envrc", "id_rsa", "id_ed25519", ".netrc"];

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let mut found: Vec<VerdictReason> = Vec::new();
    let is_loaded = input.loaded.get(input.at).is_some_and(|is| *is);
    let env_files = env_files(input.simple);
    let is_compose = is_compose(input.simple);
    for word in reads(input.simple) {
        let is_env_file = env_files.contains(word.text.as_str());
        if is_compose && is_env_file || is_identity(input.simple, &word.text) {
            continue;
        }
        let verdict = if is_loaded || is_env_file { Verdict::Ask } else { Verdict::Deny };
        for text in alternatives(&word) {
            let place = input.context.roots.locate(input.simple.cwd.as_deref(), &text);
            let reason = check_read(&place, input.policy);
            let reason = reason.map(|reason| VerdictReason { verdict: reason.verdict.min(verdict), ..reason });
            found.extend(reason.filter(|reason| !found.contains(reason)));
        }
    }
    found
}

/// The files that a program loads into the environment of another one, which shows nothing by itself.
fn env_files(simple: &SimpleCommand) -> BTreeSet<&str> {
    let text = |at: usize| simple.words.get(at).map_or("", |word| word.text.as_str());
    let mut files = BTreeSet::new();
    for at in 1..simple.words.len() {
        match text(at).strip_prefix("--env-file") {
            Some("") => files.extend([text(at + 1)]),
            Some(glued) => files.extend(glued.strip_prefix('=').into_iter().chain([text(at)])),
            None => {}
        }
    }
    files
}

/// Compose reads `.env` on its own, so naming it changes nothing; only `config` shows the values.
fn is_compose(simple: &SimpleCommand) -> bool {
    let has = |text: &str| simple.words.iter().any(|word| word.text == text);
    (has("compose") || simple.program() == Some("docker-compose")) && !has("config") && !has("convert")
}

/// Whether a file is only the key with which a client of OpenSSH logs in, which the client does not show. It uses the keys in
/// `~/.ssh` without such an option, too (<https://man.openbsd.org/ssh#i>).
fn is_identity(simple: &SimpleCommand, file: &str) -> bool {
    let is_client = matches!(simple.program(), Some("ssh" | "scp" | "sftp"));
    let is_file = |word: &&Word| word.text == file;
    is_client
        && simple.words.iter().filter(is_file).count() == 1
        && simple.words.windows(2).any(|pair| pair[0].text == "-i" && pair[1].text == file)
}

/// Returns for each command of a line whether its output becomes the arguments of `export`.
pub fn loaded(script: &Script) -> Vec<bool> {
    let mut found = vec![false; script.commands.len()];
    for simple in script.commands.iter().filter(|simple| simple.program() == Some("export")) {
        simple.holds.iter().filter(|at| **at < script.commands.len()).for_each(|at| found[*at] = true);
    }
    found
}

/// Checks whether a file may be read.
pub fn check_read(place: &PathScope, policy: &Policy) -> Option<VerdictReason> {
    let name = place.text().rsplit('/').next().expect("split is never empty");
    let end = name.rsplit_once('.').map_or("", |(_, end)| end).to_lowercase();
    let is_example = EXAMPLES.contains(&end.as_str());
    // An allowance for a folder is not meant for the secrets in it.
    let restricts = policy.entries.iter().filter(|listed| listed.entry.decision != Verdict::Allow);
    let named = restricts.filter(|listed| match &listed.entry.subject {
        // A pattern such as `.env*` does not mean the examples; their own name does.
        PermissionSubject::Read(pattern) => {
            covers(pattern, place) && !(is_example && pattern.contains('*') && !pattern.ends_with(&format!(".{end}")))
        }
        _ => false,
    });
    let named = named.max_by_key(|listed| listed.entry.decision);
    let shown = place.text().replace('\0', "…");
    if let Some(listed) = named {
        let verdict = listed.entry.decision;
        let rule = listed.entry.section.name().to_owned();
        return Some(VerdictReason {
            verdict,
            rule,
            location: Some(listed.location.clone()),
            message: format!("it reads `{shown}`"),
        });
    }
    let is_secret = SECRETS.iter().any(|pattern| covers(pattern, place));
    (is_secret && !is_example)
        .then(|| VerdictReason::guard(Verdict::Deny, RULE, format!("it reads `{shown}`, which holds secrets")))
}

/// Returns the files that a pattern of a tool names: its text for each of the braces, and the secrets that it is likely to
/// match. Unlike those of a shell, such patterns match hidden files, and those without a folder match in every folder.
pub fn matches_of_pattern(text: &str) -> Vec<String> {
    if !text.contains(['*', '?', '[', '{']) {
        return vec![text.to_owned()];
    }
    let each = braces(text).unwrap_or_else(|| vec![text.to_owned()]);
    each.iter().filter(|one| !one.starts_with('!')).flat_map(|one| matches_of(one)).collect()
}

fn matches_of(pattern: &str) -> Vec<String> {
    let mut found = vec![pattern.to_owned()];
    let (folder, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let Some(matcher) = glob(name) else { return found };
    // A pattern that matches ordinary names too is not meant for secrets.
    if !ORDINARY.iter().any(|name| matcher.is_match(name)) {
        let within =
            |likely: &&str| if folder.is_empty() { (*likely).to_owned() } else { format!("{folder}/{likely}") };
        found.extend(LIKELY.iter().filter(|likely| matcher.is_match(likely)).map(within));
    }
    found
}

/// Returns the text of a word, or the likely matches of its pattern.
fn alternatives(word: &Word) -> Vec<String> {
    if !word.is_glob {
        return vec![word.text.clone()];
    }
    let (folder, name) = word.text.rsplit_once('/').map_or(("", word.text.as_str()), |(folder, name)| (folder, name));
    let Some(matcher) = glob(name) else { return vec![word.text.clone()] };
    // A shell matches hidden files only if the pattern starts with a dot.
    let shows = |likely: &&&str| matcher.is_match(likely) && (name.starts_with('.') || !likely.starts_with('.'));
    let within = |likely: &&str| if folder.is_empty() { (*likely).to_owned() } else { format!("{folder}/{likely}") };
    // `*` alone is the usual way to name all files, and not meant to match keys.
    let is_any = name.chars().all(|c| c == '*');
    let likely = LIKELY.iter().filter(shows).map(within).filter(|_| !is_any);
    likely.chain((!folder.is_empty()).then(|| folder.to_owned())).collect()
}
