//! `secret-read`: files that hold secrets, by name or by the team's policy.

use super::GuardInput;
use crate::canon::permissions::PermissionSubject;
use crate::protocol::files::reads;
use crate::protocol::matching::path::{PathScope, covers, glob};
use crate::protocol::policy::Policy;
use crate::protocol::shell::Word;
use crate::protocol::verdict::{Verdict, VerdictReason};

const RULE: &str = "canonry's guard `secret-read`";

/// Names of files and folders with secrets.
const SECRETS: [&str; 14] = [
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
];
/// Names of example files without secrets.
const EXAMPLES: [&str; 6] =
    [".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", ".env.test.example"];
/// File names that a shell pattern is likely to match.
const LIKELY: [&str; 8] =
    [".env", ".env.local", ".env.production", ".env.development", ".envrc", "id_rsa", "id_ed25519", ".netrc"];

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let mut found: Vec<VerdictReason> = Vec::new();
    for word in reads(input.simple) {
        for text in alternatives(&word) {
            let place = input.context.roots.locate(input.simple.cwd.as_deref(), &text);
            found.extend(check_read(&place, input.policy).filter(|reason| !found.contains(reason)));
        }
    }
    found
}

/// Checks whether a file may be read.
pub fn check_read(place: &PathScope, policy: &Policy) -> Option<VerdictReason> {
    let named = policy.entries.iter().find(|listed| match &listed.entry.subject {
        PermissionSubject::Read(pattern) => covers(pattern, place),
        _ => false,
    });
    let shown = place.text().replace('\0', "…");
    if let Some(listed) = named {
        let (verdict, rule) = (listed.entry.decision.into(), listed.entry.section.name().to_owned());
        return Some(VerdictReason {
            verdict,
            rule,
            location: Some(listed.location.clone()),
            message: format!("it reads `{shown}`"),
        });
    }
    let name = place.text().rsplit('/').next().unwrap_or_default();
    let is_example = EXAMPLES.contains(&name);
    let is_secret = SECRETS.iter().any(|pattern| covers(pattern, place));
    (is_secret && !is_example)
        .then(|| VerdictReason::guard(Verdict::Deny, RULE, format!("it reads `{shown}`, which holds secrets")))
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
