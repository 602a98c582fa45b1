//! The outcome of a sync for people, and as the `canonry/sync/v1` document.

use super::excerpt::escape_line;
use super::{counted, diff, json};
use canonry_app::FileDiff;
use canonry_app::sync::{AwaitedTrust, SameNameSkills};
use canonry_app::sync::{
    CanonOutcome, RefusalReason, SyncCommit, SyncMode, SyncOutcome, SyncRefusal, SyncRefusalReason,
};
use canonry_mirror::repeated::RepeatedReader;
use canonry_model::config::{ExclusionReason, NameConflict, Target, ToolRow, is_mirror_path, mirror_root};
use canonry_text::RepoPath;
use gix::bstr::ByteSlice;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Folders listed by name before the rest is counted.
const MAX_FOLDERS: usize = 20;
/// Files of one folder that have a line each.
const MAX_FILES: usize = 4;
/// Entries of a file that a person does not trust, with a line each.
const MAX_ENTRIES: usize = 6;
/// Refusals for one cause that have a line each.
const MAX_REFUSALS: usize = 6;
/// Skill names listed in one line before the rest is counted.
const MAX_NAMES: usize = 5;

/// The verbs of the three counts in a summary line.
#[derive(Clone, Copy)]
struct Verbs {
    written: &'static str,
    removed: &'static str,
}

const APPLIED: Verbs = Verbs { written: "written", removed: "removed" };
const STAGED: Verbs = Verbs { written: "staged", removed: "removed" };
const PLANNED: Verbs = Verbs { written: "to write", removed: "to remove" };

/// The result of a run that wrote.
pub fn applied(outcome: &CanonOutcome) -> String {
    let mut text: String = outcome.adopted.iter().map(|path| format!("adopted   {}\n", outcome.full(path))).collect();
    text.push_str(&by_folder(outcome, "wrote", &outcome.written));
    if let Some(lock) = &outcome.lock_conflict {
        let lock = outcome.full(lock);
        text.push_str(&format!("          kept both sides of the merge; run `git add {lock}` to mark it resolved\n"));
    }
    text.push_str(&by_folder(outcome, "removed", &outcome.removed));
    text.push_str(&left_out(outcome));
    text.push_str(&refused(outcome));
    text.push_str(&unowned(outcome));
    text.push_str(&untrusted(outcome));
    if let Some((_, backup)) = outcome.only_copies.first() {
        let folder = backup.ancestors().find(|above| above.ends_with("canonry/kept")).unwrap_or(backup);
        let count = counted(outcome.only_copies.len(), "removed file");
        text.push_str(&format!("kept      {count} that git does not have, in {}\n", folder.display()));
    }
    for (path, backup) in &outcome.backups {
        text.push_str(&format!("backed up {} to {}\n", outcome.full(path), backup.display()));
    }
    let (mirrored, shared): (Vec<_>, Vec<_>) = outcome.backups.iter().partition(|(path, _)| is_mirror_path(path));
    if !mirrored.is_empty() {
        text.push_str(&format!(
            "          To take one into the canon, copy it back and run `{} --adopt PATH`.\n",
            command(outcome)
        ));
    }
    if !shared.is_empty() {
        text.push_str(
            "          Compare the backup of a tool file with it, and move what you want to keep to the canon.\n",
        );
    }
    text.push_str(&if outcome.has_drift() {
        format!("{}.\n", counts(outcome, APPLIED))
    } else {
        format!("Up to date: {}.\n", counted(outcome.unchanged, "mirrored file"))
    });
    text
}

/// The result of a run that staged.
pub fn staged(outcome: &CanonOutcome) -> String {
    let mut text = by_folder(outcome, "staged", &outcome.written);
    let is_untracked = |path: &RepoPath| outcome.untracks_mirrors && is_mirror_path(path);
    let (untracked, removed): (Vec<_>, Vec<_>) = outcome.removed.iter().cloned().partition(is_untracked);
    text.push_str(&by_folder(outcome, "untracked", &untracked));
    text.push_str(&by_folder(outcome, "removed", &removed));
    text.push_str(&left_out(outcome));
    text.push_str(&refused(outcome));
    text.push_str(&untrusted(outcome));
    for path in &outcome.left_in_work_tree {
        let path = outcome.full(path);
        text.push_str(&format!("left      {path}: changed in the work tree; the canon's version is staged\n"));
    }
    let verbs = match (removed.is_empty(), untracked.is_empty()) {
        (true, false) => Verbs { removed: "untracked", ..STAGED },
        (false, false) => Verbs { removed: "removed or untracked", ..STAGED },
        (_, true) => STAGED,
    };
    // A hook before each commit says nothing if there is nothing to do.
    if outcome.has_drift() {
        text.push_str(&format!("{}.\n", counts(outcome, verbs)));
    }
    text.push_str(&ignored_mirrors(outcome));
    text
}

fn ignored_mirrors(outcome: &CanonOutcome) -> String {
    if outcome.ignored_mirrors.is_empty() {
        return String::new();
    }
    let roots: Vec<String> = outcome.ignored_mirrors.iter().map(|root| outcome.full(root).to_display()).collect();
    format!(
        "Git ignores {}, so commits lack these mirrors and `canonry check --rev` reports them as missing. Set `files: {{git: \
         {{ignore: true}}}}` in the config, or remove the pattern from `.gitignore`.\n",
        roots.join(", ")
    )
}

/// The result of `--check`.
pub fn drift(outcome: &CanonOutcome) -> String {
    let mut text = by_folder(outcome, "to write", &outcome.written);
    text.push_str(&by_folder(outcome, "to remove", &outcome.removed));
    text.push_str(&left_out(outcome));
    text.push_str(&refused(outcome));
    text.push_str(&unowned(outcome));
    text.push_str(&untrusted(outcome));
    let command = command(outcome);
    text.push_str(&if outcome.never_synced && !outcome.refused.is_empty() {
        "Not synced. The refused paths above need a decision; a sync writes the rest.\n".to_owned()
    } else if outcome.never_synced && outcome.has_changes() {
        format!("Not synced: no lock says what a sync wrote, so nothing counts as drift. Run `{command}`.\n")
    } else if outcome.has_changes() {
        format!("The mirrors differ from the canon. Run `{command}`.\n")
    } else if outcome.has_drift() {
        "The refused paths above need a decision; everything else is up to date.\n".to_owned()
    } else {
        format!("Up to date: {}.\n", counted(outcome.unchanged, "mirrored file"))
    });
    text
}

/// The canon files that an adoption would write.
pub fn to_adopt(outcome: &CanonOutcome) -> String {
    outcome.adopted.iter().map(|path| format!("to adopt  {}\n", outcome.full(path))).collect()
}

/// The last line of a run that writes nothing.
pub fn preview_summary(outcome: &CanonOutcome) -> String {
    format!("{}; nothing was written.\n", counts(outcome, PLANNED))
}

/// One line about a sync of `--watch`, with the names of the skills.
pub fn watch_line(outcome: &CanonOutcome) -> String {
    let name = |path: &RepoPath| path.components().nth(2).map(|name| name.to_str_lossy().into_owned());
    let names: BTreeSet<String> = outcome.written.iter().chain(&outcome.removed).filter_map(name).collect();
    format!("synced    {}: {}\n", first_names(&names), counts(outcome, APPLIED))
}

fn first_names(names: &BTreeSet<String>) -> String {
    let mut shown: Vec<String> = names.iter().take(MAX_NAMES).cloned().collect();
    if names.len() > MAX_NAMES {
        shown.push(format!("{} more", names.len() - MAX_NAMES));
    }
    shown.join(", ")
}

fn counts(outcome: &CanonOutcome, verbs: Verbs) -> String {
    format!(
        "{} {}, {} {}, {} refused, {} unchanged",
        counted(outcome.written.len(), "file"),
        verbs.written,
        outcome.removed.len(),
        verbs.removed,
        outcome.refused.len(),
        outcome.unchanged
    )
}

/// The files and skills that were refused.
pub fn refused(outcome: &CanonOutcome) -> String {
    let line = |SyncRefusal { path, reason }: &SyncRefusal| format!("refused   {}: {reason}\n", outcome.full(path));
    // A repository that was taken over may have dozens of files for one cause.
    let mut by_cause: Vec<(&str, Vec<&SyncRefusal>)> = Vec::new();
    for refusal in &outcome.refused {
        let cause = cause(&refusal.reason);
        match by_cause.iter_mut().find(|(known, _)| cause == Some(*known)) {
            Some((_, same)) => same.push(refusal),
            None => by_cause.push((cause.unwrap_or_default(), vec![refusal])),
        }
    }
    let mut text = String::new();
    for (cause, refusals) in by_cause {
        if cause.is_empty() || refusals.len() <= MAX_REFUSALS {
            text.extend(refusals.into_iter().map(line));
            continue;
        }
        let named = refusals.iter().take(MAX_NAMES).map(|refusal| outcome.full(&refusal.path).to_display());
        let names = named.collect::<Vec<_>>().join(", ");
        let more = refusals.len().saturating_sub(MAX_NAMES);
        let check = if outcome.is_user { "" } else { "; `canonry check` lists them" };
        text.push_str(&format!("refused   {names} and {more} more: {cause}{check}\n"));
    }
    let command = command(outcome);
    text.push_str(&match (outcome.can_adopt, outcome.can_force) {
        (true, true) => format!(
            "          `{command} --adopt PATH` takes a mirror's file into the canon; `--force` backs it up and overwrites it.\n"
        ),
        (true, false) => format!("          `{command} --adopt PATH` takes a mirror's file into the canon.\n"),
        (false, true) => format!(
            "          Move the edit to the canon; then `{command} --force` backs up the file and overwrites it.\n"
        ),
        (false, false) => String::new(),
    });
    text
}

/// The cause of a refusal without the names in it; `None` if each has a cause of its own.
fn cause(reason: &SyncRefusalReason) -> Option<&'static str> {
    Some(match reason {
        SyncRefusalReason::Mirror(RefusalReason::Occupied { .. } | RefusalReason::FolderOccupied { .. }) => {
            "sync did not write these files, whose paths belong to files from the canon"
        }
        SyncRefusalReason::Mirror(RefusalReason::Edited) => "edited by hand since the last sync",
        SyncRefusalReason::Mirror(RefusalReason::Differs) => {
            "differ from canon and lock. If you restored or pulled `agent/`, this is an older sync; if you edited them: `--adopt`"
        }
        _ => return None,
    })
}

/// The line that introduces a canon if the repository has several.
pub fn canon_heading(folder: &RepoPath) -> String {
    format!("canon     {folder}\n")
}

/// The result of a staged sync without a staged canon.
pub fn not_staged(folder: &RepoPath) -> String {
    format!("Nothing to mirror: no file of `{folder}` is staged or committed.\n")
}

/// Remarks that come before the result.
pub fn remarks_before(outcome: &CanonOutcome) -> String {
    let target = |target: &Target| format!("left out  {}: its folder for user skills is unknown\n", target.name());
    let mut text: String = outcome.unsupported_targets.iter().map(target).collect();
    if let Some(claimed) = outcome.claimed {
        text.push_str(&format!("claimed   {} equal to the canon\n", counted(claimed, "file")));
    }
    if let Some(error) = &outcome.work_tree_error {
        text.push_str(&format!("The mirrors in the work tree are unchanged: {error}\n"));
    }
    text
}

/// Remarks that come after the result.
pub fn remarks_after(outcome: &CanonOutcome, mode: SyncMode) -> String {
    let mut text: String = outcome.same_names.iter().map(same_name).collect();
    text.extend(outcome.unenforced.iter().map(|limit| format!("note      {limit}\n")));
    for source in &outcome.unfetched {
        let source = escape_line(source);
        text.push_str(&format!(
            "extends   {source}: the canon has nothing of it yet; `canonry skills update` shows it and adds it\n"
        ));
    }
    if mode == SyncMode::Write {
        text.extend(outcome.awaiting_trust.iter().map(trust));
        let repeated = |r: &RepeatedReader| format!("{:9} {}; {}\n", r.target.name(), r.effect(), r.remedy());
        text.extend(outcome.repeated.iter().map(repeated));
    }
    text.push_str(&ignored_mirrors(outcome));
    if outcome.tracked_though_ignored > 0 {
        text.push_str(&format!(
            "Git still tracks {} that `.gitignore` lists. To untrack them and keep the files, run:\n  git add .gitignore \
             {} && canonry sync --staged\n",
            counted(outcome.tracked_though_ignored, "mirrored file"),
            outcome.canon
        ));
    }
    text
}

/// Steps of a person before a tool reads its new files.
fn trust(awaited: &AwaitedTrust) -> String {
    let AwaitedTrust { tool, settings, hooks } = awaited;
    let place = if *tool == Target::CODEX { "project" } else { "folder" };
    let settings: Vec<String> = settings.iter().map(RepoPath::to_display).collect();
    let name = tool.name();
    match (settings.is_empty(), hooks) {
        (false, None) => format!(
            "{name:9} reads {} only in a trusted {place}: start `{name}` here and trust the {place}\n",
            settings.join(", ")
        ),
        (false, Some(_)) => format!(
            "{name:9} reads {} only in a trusted {place}, and skips new and changed hooks: start `{name}` here, trust the \
             {place}, and review the hooks with `/hooks`\n",
            settings.join(", ")
        ),
        (true, Some(file)) => format!(
            "{name:9} skips the new and changed hooks of {file}: start `{name}` here, and review the hooks with `/hooks`\n"
        ),
        (true, None) => String::new(),
    }
}

/// The first lines of each difference that was refused.
pub fn forced_changes(diffs: &[FileDiff]) -> String {
    let excerpts = diff::excerpts(diffs);
    if excerpts.is_empty() { excerpts } else { format!("Changes that `--force` would make:\n{excerpts}") }
}

fn same_name(skills: &SameNameSkills) -> String {
    let effect = |does| match does {
        NameConflict::TakesUsers => "uses yours",
        NameConflict::ListsBoth => "lists both",
    };
    let conflict = |tool: &&ToolRow| Some(format!("{} {}", tool.name, effect(tool.skills.same_name?)));
    let tools: Vec<String> = skills.readers.iter().filter_map(conflict).collect();
    let has = if skills.names.len() == 1 { "a skill of this name" } else { "skills of these names" };
    format!("duplicate {}: your own canon has {has} too; {}\n", first_names(&skills.names), tools.join(", "))
}

/// Skills that some tools do not get. This is repeated on every run, because it is easily forgotten.
fn left_out(outcome: &CanonOutcome) -> String {
    let line = |((path, reason), targets): (&(RepoPath, ExclusionReason), &Vec<Target>)| {
        let name = path.file_name_lossy();
        let reason = match reason {
            ExclusionReason::Version { .. } => format!("since {reason}"),
            ExclusionReason::Targets | ExclusionReason::Document => format!("as {reason}"),
        };
        format!("left out  {name}: not for {}, {reason}\n", target_names(targets).join(", "))
    };
    let mut text: String = outcome.left_out.iter().take(MAX_FOLDERS).map(line).collect();
    if outcome.left_out.len() > MAX_FOLDERS {
        text.push_str(&format!("left out  {} more skills from some tools\n", outcome.left_out.len() - MAX_FOLDERS));
    }
    text.extend(outcome.unused_overlays.iter().map(|(path, reason)| format!("unused    {path}: {reason}\n")));
    text
}

/// Entries that no tool executes until a person trusts them.
fn untrusted(outcome: &CanonOutcome) -> String {
    let mut text = String::new();
    for (path, entries) in &outcome.untrusted {
        let path = outcome.full(path);
        let count = match entries.len() {
            1 => "1 entry".to_owned(),
            count => format!("{count} entries"),
        };
        text.push_str(&format!("untrusted {path}: {count}, not written where a tool lacks them\n"));
        text.extend(entries.iter().take(MAX_ENTRIES).map(|entry| format!("          {}\n", escape_line(entry))));
        if entries.len() > MAX_ENTRIES {
            text.push_str(&format!("          and {} more\n", entries.len() - MAX_ENTRIES));
        }
    }
    if !text.is_empty() {
        text.push_str("          help: review them, run `canonry trust`, which shows all, and sync again\n");
    }
    text
}

fn target_names(targets: &[Target]) -> Vec<&'static str> {
    targets.iter().map(|target| target.name()).collect()
}

fn unowned(outcome: &CanonOutcome) -> String {
    if outcome.unowned.is_empty() {
        return String::new();
    }
    let mut text = by_folder(outcome, "not ours", &outcome.unowned);
    let command = command(outcome);
    text.push_str(&format!("          left alone; `{command} --adopt PATH` takes them into the canon\n"));
    text
}

/// The command that the user runs next.
fn command(outcome: &CanonOutcome) -> &'static str {
    if outcome.is_user { "canonry sync --user" } else { "canonry sync" }
}

/// `wrote     .claude/skills/x (3 files)`, the first folders by name.
fn by_folder(outcome: &CanonOutcome, verb: &str, paths: &[RepoPath]) -> String {
    let mut folders: BTreeMap<RepoPath, usize> = BTreeMap::new();
    for path in paths {
        // A skill in a mirror; that of a row of the config, or in the user's home, may be deeper than that of a known tool.
        let skills = || path.components().position(|part| part == "skills").map(|at| at + 2);
        let depth = mirror_root(path).map(|root| root.components().count() + 1).or_else(skills).unwrap_or(3);
        let folder = path.components().take(depth).fold(RepoPath::default(), |folder, part| folder.join(part));
        *folders.entry(folder).or_default() += 1;
    }
    fold_files(&mut folders, paths);
    let line = |(folder, count): (&RepoPath, &usize)| {
        format!("{verb:9} {} ({})\n", outcome.full(folder), counted(*count, "file"))
    };
    // A line that counts one more would be no shorter than its own.
    let shown = if folders.len() == MAX_FOLDERS + 1 { folders.len() } else { MAX_FOLDERS };
    let mut text: String = folders.iter().take(shown).map(line).collect();
    if folders.len() > shown {
        let rest = folders.iter().skip(shown);
        let more: usize = rest.clone().map(|(_, count)| count).sum();
        let has_files = rest.clone().any(|(path, _)| paths.contains(path));
        let noun = if has_files { "files and folders" } else { "folders" };
        text.push_str(&format!("{verb:9} {} more {noun} ({})\n", rest.count(), counted(more, "file")));
    }
    text
}

/// Lists many files of one folder, such as rules, as their folder.
fn fold_files(folders: &mut BTreeMap<RepoPath, usize>, paths: &[RepoPath]) {
    let mut files: BTreeMap<RepoPath, Vec<&RepoPath>> = BTreeMap::new();
    for path in paths.iter().filter(|path| folders.contains_key(path)) {
        files.entry(path.parent().unwrap_or_default()).or_default().push(path);
    }
    for (folder, files) in files.into_iter().filter(|(folder, files)| !folder.is_empty() && files.len() > MAX_FILES) {
        folders.retain(|path, _| !files.contains(&path));
        *folders.entry(folder).or_default() += files.len();
    }
}

/// The result of a commit; empty if it failed.
pub fn commit(commit: &SyncCommit) -> String {
    match &commit.result {
        Err(_) => String::new(),
        Ok(None) => "Nothing to commit.\n".to_owned(),
        Ok(Some(made)) => {
            format!("Committed {} as {}.\n", counted(made.changes.len(), "file"), made.id.to_hex_with_len(10))
        }
    }
}

/// The shared files that a commit leaves out, and what is not in order in HEAD.
pub fn not_committed(commit: &SyncCommit) -> String {
    let line = |path: &RepoPath| {
        format!("not committed: {path} also holds changes that sync did not make; commit it yourself\n")
    };
    let mut text: String = commit.left_out.iter().map(line).collect();
    if let Some(first) = commit.drift.first() {
        let others = match commit.drift.len() {
            1 => String::new(),
            2 => " and 1 more file".to_owned(),
            count => format!(" and {} more files", count - 1),
        };
        let first = first.to_display();
        text.push_str(&format!("not in order in HEAD: {first}{others}; see `canonry check --rev HEAD`\n"));
    }
    text
}

/// The `canonry/sync/v1` document about all canons together.
pub fn document(outcome: &SyncOutcome) -> String {
    let canons: Vec<&CanonOutcome> = outcome.synced().collect();
    let paths = |list: fn(&CanonOutcome) -> &Vec<RepoPath>| -> Value {
        canons.iter().flat_map(|canon| list(canon).iter().map(|path| canon.full(path).to_display())).collect()
    };
    let refused = |canon: &&CanonOutcome| -> Vec<Value> {
        let refused = canon.refused.iter();
        refused.map(|r| json!({"path": canon.full(&r.path), "reason": r.reason.to_string()})).collect()
    };
    let untrusted = |canon: &&CanonOutcome| -> Vec<Value> {
        let untrusted = canon.untrusted.iter();
        untrusted.map(|(path, entries)| json!({"path": canon.full(path), "entries": entries})).collect()
    };
    let unused_overlays = |canon: &&CanonOutcome| -> Vec<Value> {
        let overlays = canon.unused_overlays.iter();
        overlays.map(|(path, reason)| json!({"path": canon.full(path), "reason": reason})).collect()
    };
    let left_out = |canon: &&CanonOutcome| -> Vec<Value> {
        let skill = |((path, reason), targets): (&(RepoPath, ExclusionReason), &Vec<Target>)| json!({"path": canon.full(path), "targets": target_names(targets), "reason": reason.to_string()});
        canon.left_out.iter().map(skill).collect()
    };
    let committed = outcome.commit.as_ref().and_then(|commit| commit.result.as_ref().ok()?.as_ref());
    json::to_text(&json!({
        "schema": "canonry/sync/v1",
        "written": paths(|canon| &canon.written),
        "removed": paths(|canon| &canon.removed),
        "refused": canons.iter().flat_map(refused).collect::<Value>(),
        "unowned": paths(|canon| &canon.unowned),
        "untrusted": canons.iter().flat_map(untrusted).collect::<Value>(),
        "unchanged": canons.iter().map(|canon| canon.unchanged).sum::<usize>(),
        "left_out": canons.iter().flat_map(left_out).collect::<Value>(),
        "unused_overlays": canons.iter().flat_map(unused_overlays).collect::<Value>(),
        "adopted": paths(|canon| &canon.adopted),
        "commit": committed.map(|made| made.id.to_string()),
    }))
}
