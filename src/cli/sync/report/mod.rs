//! What a sync did, or would do, in words and as JSON.

mod document;

pub use document::to_json;

use crate::app::RepositoryScope;
use crate::app::Workspace;
use crate::app::sync::state::Seen;
use crate::apply::Applied;
use crate::cli::status::Status;
use crate::config::ExclusionReason;
use crate::edit::Edit;
use crate::mirror::desired::{SkipReason, Skipped};
use crate::mirror::{DesiredMirrors, SyncPlan};
use crate::render::counted;
use crate::syntax::RepoPath;
use gix::bstr::ByteSlice;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Folders named one by one before the rest is counted.
const NAMED: usize = 20;

/// Skills named in one line before the rest is counted.
const NAMED_IN_A_LINE: usize = 5;

/// Of a path that did not hold, when it was to be written, what was decided upon.
const OVERTAKEN: &str = "something else stands there by now; move it away, or run this again if it just changed";

/// What happened, or would.
pub struct Outcome {
    /// The folder whose canon it was, before which all paths stand; empty for the repository's own.
    base: RepoPath,
    /// The command, as a person would call it again.
    command: &'static str,
    written: Vec<RepoPath>,
    removed: Vec<RepoPath>,
    refused: Vec<(RepoPath, String)>,
    /// Refused because writing would overwrite what is not ours.
    overwrites: usize,
    unowned: Vec<RepoPath>,
    unchanged: usize,
    kept_aside: Vec<(RepoPath, PathBuf)>,
    /// Skills that are kept from targets, and why, each with their names.
    left_out: BTreeMap<(RepoPath, ExclusionReason), Vec<&'static str>>,
    /// Overlays that do nothing, and why.
    unused: Vec<(RepoPath, String)>,
    /// The lock, where it held the conflict of a merge.
    lock_in_conflict: Option<RepoPath>,
    /// Files of the canon that an adoption wrote before.
    pub adopted: Vec<RepoPath>,
}

impl Outcome {
    /// What a run would do.
    pub fn foreseen(context: &Workspace, seen: &Seen, decision: &SyncPlan) -> Self {
        let paths = |wanted: fn(&Edit) -> bool| -> Vec<RepoPath> {
            decision.edits.iter().filter(|e| wanted(e)).map(|e| e.path().clone()).collect()
        };
        let mut outcome = Self::rest(context, seen, decision);
        outcome.written.extend(paths(|e| e.now().is_some()));
        outcome.removed = paths(|e| e.now().is_none());
        outcome
    }

    /// What a run did.
    pub fn happened(context: &Workspace, (seen, decision): (&Seen, &SyncPlan), applied: &Applied) -> Self {
        let mut outcome = Self::rest(context, seen, decision);
        outcome.written.extend(applied.written.iter().cloned());
        outcome.removed = applied.removed.clone();
        outcome.kept_aside = applied.kept_aside.clone();
        outcome.overwrites += applied.overtaken.len();
        let overtaken = applied.overtaken.iter().map(|path| (path.clone(), OVERTAKEN.to_owned()));
        outcome.refused.extend(overtaken);
        outcome
    }

    fn rest(context: &Workspace, seen: &Seen, decision: &SyncPlan) -> Self {
        let mut refused: Vec<(RepoPath, String)> =
            decision.refused.iter().map(|r| (r.path.clone(), r.reason.to_string())).collect();
        refused.extend(seen.survey.desired.skipped.iter().map(|l: &Skipped| (l.path.clone(), l.reason.to_string())));
        let unreadable =
            seen.unreadable.iter().map(|(path, reason)| (path.clone(), format!("cannot be read: {reason}")));
        refused.extend(unreadable);
        let clash = |l: &&Skipped| matches!(l.reason, SkipReason::NameClash { .. } | SkipReason::FileNameClash { .. });
        let lock_in_conflict = seen.survey.lock_conflict.then(|| seen.layout.lock());
        Self {
            base: context.view.base().clone(),
            command: if context.env.scope == RepositoryScope::User { "canonry sync --user" } else { "canonry sync" },
            // Else the lock is not told: a person waits for it only where a merge has left a conflict in it.
            written: lock_in_conflict.iter().cloned().collect(),
            removed: Vec::new(),
            refused,
            overwrites: decision.refused.len() + seen.survey.desired.skipped.iter().filter(clash).count(),
            unowned: decision.unowned.clone(),
            unchanged: decision.unchanged,
            kept_aside: Vec::new(),
            left_out: left_out(&seen.survey.desired),
            unused: seen.survey.overlays.unused.clone(),
            lock_in_conflict,
            adopted: Vec::new(),
        }
    }

    /// 5 where an overwrite was refused, 1 where something of the canon could not be mirrored.
    pub fn status(&self) -> Status {
        match (self.overwrites, self.refused.len()) {
            (0, 0) => Status::Done,
            (0, _) => Status::Findings,
            _ => Status::Refused,
        }
    }

    /// Whether the mirrors differ from what the canon says.
    pub fn drifts(&self) -> bool {
        !self.written.is_empty() || !self.removed.is_empty() || !self.refused.is_empty()
    }

    /// After a run.
    pub fn in_words(&self) -> String {
        let mut text: String = self.adopted.iter().map(|path| format!("adopted   {}\n", self.full(path))).collect();
        text.push_str(&self.by_folder("wrote", &self.written));
        if let Some(lock) = &self.lock_in_conflict {
            let lock = self.full(lock);
            text.push_str(&format!("          both sides of the merge count; `git add {lock}` ends its conflict\n"));
        }
        text.push_str(&self.by_folder("removed", &self.removed));
        text.push_str(&self.left_out_in_words());
        text.push_str(&self.refused_in_words());
        text.push_str(&self.unowned_in_words());
        for (path, copy) in &self.kept_aside {
            text.push_str(&format!("kept      {} as it was: {}\n", self.full(path), copy.display()));
        }
        if !self.kept_aside.is_empty() {
            text.push_str(&format!(
                "          to take one into the canon after all: copy it back, then `{} --adopt PATH`\n",
                self.command
            ));
        }
        if self.written.is_empty() && self.removed.is_empty() && self.refused.is_empty() {
            text.push_str(&format!("Up to date: {}.\n", counted(self.unchanged, "mirrored file")));
        } else {
            text.push_str(&format!("{}.\n", self.counts(["written", "removed", "refused"])));
        }
        text
    }

    /// After a run on what is staged; `left`: files of the work tree that someone changed.
    pub fn staged_in_words(&self, left: &[RepoPath]) -> String {
        let mut text = self.by_folder("staged", &self.written);
        text.push_str(&self.by_folder("removed", &self.removed));
        text.push_str(&self.left_out_in_words());
        text.push_str(&self.refused_in_words());
        let line = |path| {
            let path = self.full(path);
            format!("left      {path}: changed in the work tree, and as it was there; what is staged is the canon's\n")
        };
        text.extend(left.iter().map(line));
        if self.written.is_empty() && self.removed.is_empty() && self.refused.is_empty() {
            text.push_str(&format!("Up to date: {} staged.\n", counted(self.unchanged, "mirrored file")));
        } else {
            text.push_str(&format!("{}.\n", self.counts(["staged", "removed", "refused"])));
        }
        text
    }

    /// Whether anything was written or removed.
    pub fn wrote(&self) -> bool {
        !self.written.is_empty() || !self.removed.is_empty()
    }

    /// One line on what was written: the skills by their names, the first ones of many.
    pub fn in_a_line(&self) -> String {
        let name = |path: &RepoPath| path.components().nth(2).map(|name| name.to_str_lossy().into_owned());
        let names: BTreeSet<String> = self.written.iter().chain(&self.removed).filter_map(name).collect();
        let mut shown: Vec<&str> = names.iter().take(NAMED_IN_A_LINE).map(String::as_str).collect();
        let more = format!("{} more", names.len().saturating_sub(NAMED_IN_A_LINE));
        if names.len() > NAMED_IN_A_LINE {
            shown.push(&more);
        }
        format!("synced    {}: {}\n", shown.join(", "), self.counts(["written", "removed", "refused"]))
    }

    /// For `--check`.
    pub fn drift_in_words(&self, never_synced: bool) -> String {
        let mut text = self.by_folder("to write", &self.written);
        text.push_str(&self.by_folder("to remove", &self.removed));
        text.push_str(&self.left_out_in_words());
        text.push_str(&self.refused_in_words());
        text.push_str(&self.unowned_in_words());
        if never_synced && self.drifts() {
            text.push_str("Never synced: there is no mirrors.lock, so nothing counts as drift. ");
            text.push_str(&format!("Run `{}`.\n", self.command));
        } else if !self.written.is_empty() || !self.removed.is_empty() {
            text.push_str(&format!("The mirrors differ from the canon. Run `{}`.\n", self.command));
        } else if self.drifts() {
            text.push_str("What is refused above needs a person; all else is up to date.\n");
        } else {
            text.push_str(&format!("Up to date: {}.\n", counted(self.unchanged, "mirrored file")));
        }
        text
    }

    /// The last line of a run that writes nothing.
    pub fn foreseen_in_words(&self) -> String {
        format!("{}; nothing was written.\n", self.counts(["to write", "to remove", "refused"]))
    }

    fn counts(&self, [written, removed, refused]: [&str; 3]) -> String {
        format!(
            "{} {written}, {} {removed}, {} {refused}, {} unchanged",
            counted(self.written.len(), "file"),
            self.removed.len(),
            self.refused.len(),
            self.unchanged
        )
    }

    /// What is or would be refused.
    pub fn refused_in_words(&self) -> String {
        let line = |(path, reason): &(RepoPath, String)| format!("refused   {}: {reason}\n", self.full(path));
        let mut text: String = self.refused.iter().map(line).collect();
        if self.overwrites > 0 {
            text.push_str(&format!(
                "          `{} --adopt PATH` takes a mirror's file into the canon; `--force` puts the canon's there \
                 and keeps a copy.\n",
                self.command
            ));
        }
        text
    }

    /// What is kept from some tools is told every time: it is no fault, and easily forgotten.
    fn left_out_in_words(&self) -> String {
        let line = |((path, why), targets): (&(RepoPath, ExclusionReason), &Vec<&str>)| {
            let name = path.file_name_lossy();
            let why = match why {
                ExclusionReason::Version { .. } => format!("since {why}"),
                ExclusionReason::Targets | ExclusionReason::Document => format!("as {why}"),
            };
            format!("left out  {name}: not for {}, {why}\n", targets.join(", "))
        };
        let mut text: String = self.left_out.iter().take(NAMED).map(line).collect();
        if self.left_out.len() > NAMED {
            text.push_str(&format!("left out  {} more skills from some tools\n", self.left_out.len() - NAMED));
        }
        text.extend(self.unused.iter().map(|(path, why)| format!("unused    {path}: {why}\n")));
        text
    }

    fn unowned_in_words(&self) -> String {
        let folders = folders(&self.unowned);
        if folders.is_empty() {
            return String::new();
        }
        let mut text = self.by_folder("not ours", &self.unowned);
        let command = self.command;
        text.push_str(&format!("          left alone; `{command} --adopt PATH` takes them into the canon\n"));
        text
    }

    /// A path from the top of the repository.
    fn full(&self, path: &RepoPath) -> RepoPath {
        self.base.join(path.as_bstr())
    }

    /// `wrote     .claude/skills/x (3 files)`, the first ones by name.
    fn by_folder(&self, verb: &str, paths: &[RepoPath]) -> String {
        let folders = folders(paths);
        let line = |(folder, count): (&RepoPath, &usize)| {
            format!("{verb:9} {} ({})\n", self.full(folder), counted(*count, "file"))
        };
        let mut text: String = folders.iter().take(NAMED).map(line).collect();
        if folders.len() > NAMED {
            let more: usize = folders.values().skip(NAMED).sum();
            text.push_str(&format!("{verb:9} {} more folders ({})\n", folders.len() - NAMED, counted(more, "file")));
        }
        text
    }
}

fn left_out(desired: &DesiredMirrors) -> BTreeMap<(RepoPath, ExclusionReason), Vec<&'static str>> {
    let mut skills: BTreeMap<(RepoPath, ExclusionReason), Vec<&'static str>> = BTreeMap::new();
    for gate in &desired.withheld {
        skills.entry((gate.skill.clone(), gate.reason.clone())).or_default().push(gate.target.name());
    }
    skills
}

fn folders(paths: &[RepoPath]) -> BTreeMap<RepoPath, usize> {
    let mut folders = BTreeMap::new();
    for path in paths {
        let folder = path.components().take(3).fold(RepoPath::default(), |folder, part| folder.join(part));
        *folders.entry(folder).or_insert(0) += 1;
    }
    folders
}
