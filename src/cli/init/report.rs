//! What a run added, in words and as JSON.

use super::decide::Decided;
use crate::app::Workspace;
use crate::apply::Applied;
use crate::cli::status::Status;
use crate::edit::Edit;
use crate::mirror::adopt_skills::SkillAdoptError;
use crate::render::{counted, json};
use crate::syntax::RepoPath;
use serde::Serialize;
use std::collections::BTreeMap;

/// What happened, or would.
pub struct Outcome {
    root: RepoPath,
    written: Vec<RepoPath>,
    kept: Vec<RepoPath>,
    /// Files of the canon that were taken from tools' folders.
    adopted: Vec<RepoPath>,
    /// The skills they are of, with the folders in which they are ours from now on.
    skills: Vec<(String, Vec<RepoPath>)>,
    refused: Vec<(RepoPath, String)>,
    /// Whether two skills of one name that are not the same are among what is refused.
    differs: bool,
    /// Written, but no part of what git sees.
    ignored: Vec<RepoPath>,
    mood: Mood,
}

/// Whether it was done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mood {
    Happened,
    Foreseen,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    written: Vec<String>,
    kept: Vec<String>,
    adopted: Vec<String>,
    owned: Vec<String>,
    refused: Vec<JsonRefusal>,
}

#[derive(Serialize)]
struct JsonRefusal {
    path: String,
    reason: String,
}

/// Skills named one by one before the rest is counted.
const NAMED: usize = 20;

/// What to do where a tool's skill was not taken, said once.
const HELP: &str = "          Make the two the same, or rename one; then run `canonry init` again. Until then each stays where it is.\n";

impl Outcome {
    /// What a run would do.
    pub fn foreseen(context: &Workspace, decided: Decided) -> Self {
        let paths = |edits: &[Edit]| edits.iter().map(|edit| edit.path().clone()).collect::<Vec<RepoPath>>();
        let (written, adopted) = (paths(&decided.scaffold.edits), paths(&decided.over.adoption.edits));
        Self {
            root: context.layout.root().clone(),
            written,
            kept: decided.scaffold.kept,
            adopted,
            skills: decided.over.skills,
            differs: decided.over.refused.iter().any(|(_, why)| matches!(why, SkillAdoptError::Differs { .. })),
            refused: decided.refused,
            ignored: decided.ignored.into_iter().collect(),
            mood: Mood::Foreseen,
        }
    }

    /// What a run did.
    pub fn happened(context: &Workspace, decided: Decided, applied: &Applied) -> Self {
        let mut outcome = Self { mood: Mood::Happened, ..Self::foreseen(context, decided) };
        // Someone was faster: then theirs is kept.
        let (kept, written) = outcome.written.into_iter().partition(|path| applied.conflicts.contains(path));
        outcome.written = written;
        outcome.kept.extend::<Vec<RepoPath>>(kept);
        outcome.kept.sort();
        outcome
    }

    /// 5 where something was left as it is.
    pub fn status(&self) -> Status {
        if self.refused.is_empty() { Status::Done } else { Status::Refused }
    }

    /// `canonry/init/v1`
    pub fn to_json(&self) -> String {
        let paths = |paths: &[RepoPath]| paths.iter().map(RepoPath::to_display).collect();
        let owned: Vec<RepoPath> = self.skills.iter().flat_map(|(_, folders)| folders.iter().cloned()).collect();
        let refusal =
            |(path, reason): &(RepoPath, String)| JsonRefusal { path: path.to_display(), reason: reason.clone() };
        json::to_text(&Document {
            schema: "canonry/init/v1",
            written: paths(&self.written),
            kept: paths(&self.kept),
            adopted: paths(&self.adopted),
            owned: paths(&owned),
            refused: self.refused.iter().map(refusal).collect(),
        })
    }

    /// For people.
    pub fn in_words(&self) -> String {
        let wrote = if self.mood == Mood::Happened { "wrote" } else { "to write" };
        let mut text = self.taken_in_words();
        text.push_str(&self.grouped(wrote, &self.written));
        if !self.changes_nothing() {
            text.push_str(&self.grouped("kept", &self.kept));
        }
        text.extend(self.refused.iter().map(|(path, reason)| format!("refused   {path}: {reason}\n")));
        if self.differs {
            text.push_str(HELP);
        }
        text.extend(self.ignored.iter().map(|path| format!("note      git ignores {path}\n")));
        text.push_str(&self.counts());
        if self.mood == Mood::Happened && !self.changes_nothing() {
            let whole = self.written.iter().any(|path| path.as_bstr().ends_with(b"protocols/permissions.md"));
            let more = if whole { format!(" and {}/protocols/permissions.md", self.root) } else { String::new() };
            text.push_str(&next_steps(&self.root.to_display(), &more));
        }
        text
    }

    fn changes_nothing(&self) -> bool {
        self.written.is_empty() && self.skills.is_empty()
    }

    fn counts(&self) -> String {
        if self.changes_nothing() && self.refused.is_empty() {
            return format!(
                "Nothing to add: {} there already. `canonry sync` mirrors the skills.\n",
                self.kept_in_words()
            );
        }
        let [written, adopted, end] = match self.mood {
            Mood::Happened => ["written", "adopted", "."],
            Mood::Foreseen => ["to write", "to adopt", "; nothing was written."],
        };
        let mut parts = vec![format!("{} {written}", counted(self.written.len(), "file"))];
        if !self.skills.is_empty() {
            parts.push(format!("{} {adopted}", counted(self.skills.len(), "skill")));
        }
        let rest = [(self.kept.len(), "kept"), (self.refused.len(), "refused")];
        parts.extend(rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
        format!("{}{end}\n", parts.join(", "))
    }

    fn kept_in_words(&self) -> String {
        let verb = if self.kept.len() == 1 { "is" } else { "are" };
        format!("{} {verb}", counted(self.kept.len(), "file"))
    }

    /// `adopted   deploy from .claude/skills, .gemini/skills`, the first ones by name.
    fn taken_in_words(&self) -> String {
        let verb = if self.mood == Mood::Happened { "adopted" } else { "to adopt" };
        let line = |(name, folders): &(String, Vec<RepoPath>)| {
            let roots = folders.iter().filter_map(RepoPath::parent).map(|folder| folder.to_display());
            format!("{verb:9} {name} from {}\n", roots.collect::<Vec<_>>().join(", "))
        };
        let mut text: String = self.skills.iter().take(NAMED).map(line).collect();
        if self.skills.len() > NAMED {
            text.push_str(&format!("{verb:9} {}\n", counted(self.skills.len() - NAMED, "more skill")));
        }
        text
    }

    /// One line for each folder of the canon; files at its top and single ones by name.
    fn grouped(&self, verb: &str, paths: &[RepoPath]) -> String {
        let depth = self.root.components().count();
        let mut groups: BTreeMap<RepoPath, Vec<&RepoPath>> = BTreeMap::new();
        for path in paths {
            let folder = path.components().take(depth + 1).fold(RepoPath::default(), |folder, part| folder.join(part));
            groups.entry(folder).or_default().push(path);
        }
        let skills = self.root.join("skills");
        let line = |(folder, files): (&RepoPath, &Vec<&RepoPath>)| match files.as_slice() {
            files if *folder == skills => {
                let names: Vec<String> =
                    files.iter().filter_map(|path| path.parent()).map(|folder| folder.file_name_lossy()).collect();
                format!("{verb:9} {folder}: {}\n", names.join(", "))
            }
            [file] => format!("{verb:9} {file}\n"),
            files => format!("{verb:9} {folder} ({})\n", counted(files.len(), "file")),
        };
        groups.iter().map(line).collect()
    }
}

fn next_steps(root: &str, more: &str) -> String {
    let steps = [
        ("canonry check".to_owned(), "judges what is there now"),
        ("canonry sync --commit".to_owned(), "gives each tool its copy of the skills, and commits skills and copies"),
        (format!("git add {root} && git commit"), "commits the rest of the canon"),
        ("canonry install git-hooks".to_owned(), "checks each commit; `install ci` and `install cron` do the rest"),
    ];
    let lines: String = steps.iter().map(|(command, why)| format!("  {command:30} {why}\n")).collect();
    format!("\nNext:\n{lines}Then fill in {root}/AGENTS.md{more}: what only your team knows.\n")
}
