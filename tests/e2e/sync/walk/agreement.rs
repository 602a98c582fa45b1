//! Agreement of all commands that ask about one state.
//!
//! - `sync --check` ends with 65 exactly if `check` does, and with 1 if `check` has an error of a rule about mirrors. It would
//!   write or remove files exactly if `check` finds stale, missing or orphaned ones that it can reach. It refuses if `check` finds edited,
//!   occupied or unusable ones; if it refuses, `check` has an error, perhaps about the canon's file. The same holds for both
//!   with `--staged`.
//! - `status` counts what `sync --check` lists and what `check` finds.
//! - If the index equals the commit, `check --staged` finds drift exactly if `check --rev HEAD` does; if the work tree equals
//!   the index, `check` exactly if `check --staged` does. Other findings may differ: `--staged` checks documents that change,
//!   and a commit knows nothing of what this clone wrote.

use super::Walk;
use crate::support::repo::{Ran, Repo};
use serde_json::Value;
use std::collections::BTreeSet;

/// Findings of drift that a sync removes.
const BEHIND: [&str; 3] = ["mirror-missing", "mirror-stale", "mirror-lock"];
/// A file that a sync removes, or leaves alone outside of a sparse checkout.
const ORPHAN: [&str; 1] = ["mirror-orphan"];
/// Findings of drift that a person must settle.
const REFUSED: [&str; 4] = ["mirror-edited", "mirror-occupied", "mirror-skipped", "tool-file-omitted"];

/// The answer of a check.
struct Checked {
    status: i32,
    errors: BTreeSet<String>,
    counts: (u64, u64),
    said: String,
}

impl Checked {
    fn of(repo: &Repo, view: &[&str]) -> Self {
        let ran = repo.check(&[view, &["--format", "json"]].concat());
        let document: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        let findings = document["findings"].as_array().cloned().unwrap_or_default();
        let errors = findings.iter().filter(|finding| finding["severity"] == "error");
        let errors = errors.filter_map(|finding| Some(finding["rule"].as_str()?.to_owned())).collect();
        let count = |name: &str| document["summary"][name].as_u64().unwrap_or_default();
        let line = |finding: &Value| format!("{} {}: {}\n", finding["rule"], finding["path"], finding["message"]);
        let said = findings.iter().map(line).collect::<String>() + &ran.stderr;
        Self { status: ran.status, errors, counts: (count("errors"), count("warnings")), said }
    }

    fn has(&self, rules: &[&str]) -> bool {
        rules.iter().any(|rule| self.errors.contains(*rule))
    }

    fn has_drift(&self) -> bool {
        self.has(&BEHIND) || self.has(&ORPHAN) || self.has(&REFUSED)
    }

    fn agrees_with(&self, other: &Self) -> bool {
        // A commit is checked alike in every clone: a file that only the record of this clone names is not owned there.
        let is_unowned = |checked: &Self| checked.said.contains("mirror-unowned");
        let has_orphans = |one: &Self, other: &Self| one.has(&ORPHAN) && !is_unowned(other);
        let drift = |one: &Self, other: &Self| one.has(&BEHIND) || one.has(&REFUSED) || has_orphans(one, other);
        drift(self, other) == drift(other, self) && (self.status == 65) == (other.status == 65)
    }
}

/// The answer of `sync --check`.
struct Preview {
    status: i32,
    /// The numbers of files to write, to remove, and left alone.
    counts: [usize; 3],
    ran: Ran,
}

impl Preview {
    fn of(repo: &Repo, view: &[&str]) -> Self {
        let ran = repo.sync(&[&["--check", "--format", "json"], view].concat());
        let document: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        let counts = ["written", "removed", "refused"].map(|name| document[name].as_array().map_or(0, Vec::len));
        Self { status: ran.status, counts, ran }
    }
}

impl Walk {
    /// Compares all answers about a clone.
    pub fn assert_one_truth(&self, at: usize) {
        let repo = &self.clones[at].repo;
        let work_tree = self.assert_view(at, &[]);
        let index = self.assert_view(at, &["--staged"]);
        let head = Checked::of(repo, &["--rev", "HEAD"]);
        let is_same = |args: &[&str]| repo.try_git(args).status.success();
        if is_same(&["diff", "--cached", "--quiet"]) {
            let both = format!("index: {}commit: {}", index.said, head.said);
            self.assert(index.agrees_with(&head), &both);
        }
        let others = repo.git(&["ls-files", "-o", "--exclude-standard"]);
        if !self.is_ignored && others.is_empty() && is_same(&["diff", "--quiet"]) {
            let both = format!("work tree: {}index: {}", work_tree.said, index.said);
            self.assert(work_tree.agrees_with(&index), &both);
        }
    }

    /// Compares the answers about the work tree or about the index.
    fn assert_view(&self, at: usize, view: &[&str]) -> Checked {
        let repo = &self.clones[at].repo;
        let check = Checked::of(repo, view);
        let sync = Preview::of(repo, view);
        let both = format!("{view:?}\ncheck {}: {}sync {}: {}", check.status, check.said, sync.status, sync.ran.all());
        self.assert(matches!(sync.status, 0 | 1 | 65), &both);
        self.assert((sync.status == 65) == (check.status == 65), &both);
        self.assert(sync.status == 1 || !check.has_drift(), &both);
        if sync.status == 1 {
            let [written, removed, refused] = sync.counts;
            // Without a lock and mirrors, nothing counts as drift.
            let is_synced = !check.said.contains("mirror-never-synced");
            self.assert(written + removed == 0 || check.has(&BEHIND) || check.has(&ORPHAN) || !is_synced, &both);
            self.assert(written + removed > 0 || !check.has(&BEHIND), &both);
            self.assert(removed + refused > 0 || !check.has(&ORPHAN), &both);
            self.assert(refused > 0 || !check.has(&REFUSED), &both);
            self.assert(refused == 0 || check.status == 1, &both);
        }
        if view.is_empty() && sync.status != 65 {
            let ran = repo.canonry(&["status", "--format", "json"]);
            let status: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
            let count = |part: &str, name: &str| status[part][name].as_u64().unwrap_or_default();
            let mirrors = ["written", "removed"].map(|name| usize::try_from(count("mirrors", name)).unwrap());
            let refused = usize::try_from(count("mirrors", "refused") + count("mirrors", "omitted")).unwrap();
            let said = format!("{both}\nstatus: {}", ran.all());
            self.assert([mirrors[0], mirrors[1], refused] == sync.counts, &said);
            self.assert((count("check", "errors"), count("check", "warnings")) == check.counts, &said);
        }
        check
    }

    /// HEAD has the mirrors of its own canon.
    pub fn assert_head(&self, at: usize, ran: &Ran) {
        let check = Checked::of(&self.clones[at].repo, &["--rev", "HEAD"]);
        self.assert(!check.has_drift() && check.status != 65, &format!("HEAD: {}after {}", check.said, ran.all()));
    }
}
