//! `secret-read`: files that hold secrets, those that a team names and those that everyone has.

use super::GuardInput;
use crate::canon::permissions::PermissionSubject;
use crate::protocol::files::reads;
use crate::protocol::matching::path::{PathScope, covers, glob};
use crate::protocol::policy::Policy;
use crate::protocol::shell::Word;
use crate::protocol::verdict::{Verdict, VerdictReason};

const RULE: &str = "canonry's guard `secret-read`";

/// Files that hold secrets everywhere.
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
/// Those beside them that are there to be read.
const EXAMPLES: [&str; 6] =
    [".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", ".env.test.example"];
/// What a pattern of the shell may stand for.
const LIKELY: [&str; 8] =
    [".env", ".env.local", ".env.production", ".env.development", ".envrc", "id_rsa", "id_ed25519", ".netrc"];

pub(super) fn check(case: &GuardInput<'_>) -> Vec<VerdictReason> {
    let mut found: Vec<VerdictReason> = Vec::new();
    for word in reads(case.simple) {
        for text in stood_for(&word) {
            let place = case.around.roots.place(case.simple.cwd.as_deref(), &text);
            found.extend(read(&place, case.policy).filter(|reason| !found.contains(reason)));
        }
    }
    found
}

/// What speaks against reading a file.
pub fn read(place: &PathScope, policy: &Policy) -> Option<VerdictReason> {
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
            at: Some(listed.at.clone()),
            message: format!("it reads `{shown}`"),
        });
    }
    let name = place.text().rsplit('/').next().unwrap_or_default();
    let is_example = EXAMPLES.contains(&name);
    let is_secret = SECRETS.iter().any(|pattern| covers(pattern, place));
    (is_secret && !is_example)
        .then(|| VerdictReason::guard(Verdict::Deny, RULE, format!("it reads `{shown}`, which holds secrets")))
}

/// A word, or the files that the shell may put in the place of its pattern.
fn stood_for(word: &Word) -> Vec<String> {
    if !word.is_glob {
        return vec![word.text.clone()];
    }
    let (folder, name) = word.text.rsplit_once('/').map_or(("", word.text.as_str()), |(folder, name)| (folder, name));
    let Some(matcher) = glob(name) else { return vec![word.text.clone()] };
    // A shell puts a hidden file only where the pattern begins with its dot.
    let shows = |likely: &&&str| matcher.is_match(likely) && (name.starts_with('.') || !likely.starts_with('.'));
    let within = |likely: &&str| if folder.is_empty() { (*likely).to_owned() } else { format!("{folder}/{likely}") };
    // `*` by itself is everybody's way to say all files, and does not mean keys.
    let is_any = name.chars().all(|c| c == '*');
    let likely = LIKELY.iter().filter(shows).map(within).filter(|_| !is_any);
    likely.chain((!folder.is_empty()).then(|| folder.to_owned())).collect()
}
