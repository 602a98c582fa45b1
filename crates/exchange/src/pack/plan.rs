//! Changes of a pack: the difference between the files that the plugin should have and those that are there. User
//! files are never overwritten or removed.

use super::manifest::{Components, Metadata};
use bstr::ByteSlice;
use canonry_model::canon::FileState;
use canonry_model::edit::{Edit, EditContent};
use canonry_text::RepoPath;
use std::collections::BTreeMap;
use std::fmt;

/// A file that the plugin should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackFile {
    pub content: EditContent,
    pub state: FileState,
}

/// Content of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actual {
    Missing,
    File(FileState),
    /// Nothing can be written there.
    Blocked(String),
}

/// Why a file is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackRefusal {
    /// Someone else wrote the file.
    Foreign,
    /// Someone edited a file of the last pack.
    Edited,
    Blocked(String),
}

impl fmt::Display for PackRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("canonry did not write this file"),
            Self::Edited => f.write_str("edited since the last pack"),
            Self::Blocked(reason) => f.write_str(reason),
        }
    }
}

/// Changes of a pack.
#[derive(Clone, Debug, Default)]
pub struct PackPlan {
    pub edits: Vec<Edit>,
    pub refused: Vec<(RepoPath, PackRefusal)>,
    pub unchanged: usize,
}

/// The input of a plan.
pub struct PackInput<'a> {
    pub desired: &'a BTreeMap<RepoPath, PackFile>,
    /// Every desired and every owned path.
    pub actual: &'a BTreeMap<RepoPath, Actual>,
    /// Files that the last pack wrote.
    pub owned: &'a BTreeMap<RepoPath, FileState>,
    /// Files that a killed pack may have written, and those that the committed one wrote.
    pub unfinished: &'a [(RepoPath, FileState)],
}

impl PackPlan {
    pub fn build(input: &PackInput<'_>) -> Self {
        let mut plan = Self::default();
        for (path, file) in input.desired {
            plan.add_desired(path, file, input);
        }
        for path in input.owned.keys().filter(|path| !input.desired.contains_key(path)) {
            match input.actual.get(path) {
                Some(Actual::File(state)) if input.is_own(path, *state) => {
                    plan.edits.push(Edit::Remove { path: path.clone(), was: *state });
                }
                Some(Actual::File(_)) => plan.refused.push((path.clone(), PackRefusal::Edited)),
                // A folder or link that took its place is a user's.
                Some(Actual::Missing | Actual::Blocked(_)) | None => {}
            }
        }
        plan.refused.sort_by(|a, b| a.0.cmp(&b.0));
        plan
    }

    fn add_desired(&mut self, path: &RepoPath, file: &PackFile, input: &PackInput<'_>) {
        let write = |was| Edit::Write { path: path.clone(), content: file.content.clone(), was, now: file.state };
        match input.actual.get(path).unwrap_or(&Actual::Missing) {
            Actual::Missing => self.edits.push(write(None)),
            Actual::File(state) if *state == file.state => self.unchanged += 1,
            Actual::File(state) if input.is_own(path, *state) => self.edits.push(write(Some(*state))),
            Actual::File(_) => {
                let is_owned = input.owned.contains_key(path);
                let refusal = if is_owned { PackRefusal::Edited } else { PackRefusal::Foreign };
                self.refused.push((path.clone(), refusal));
            }
            Actual::Blocked(reason) => self.refused.push((path.clone(), PackRefusal::Blocked(reason.clone()))),
        }
    }
}

impl PackInput<'_> {
    fn is_own(&self, path: &RepoPath, state: FileState) -> bool {
        self.owned.get(path) == Some(&state) || self.unfinished.contains(&(path.clone(), state))
    }
}

/// Whether a pack can have written a path below some folder. Whatever else a lock names stays: a lock can come from anyone
/// who commits.
pub fn may_be_packed(path: &RepoPath) -> bool {
    const FILES: [&str; 9] = [
        "plugin.json",
        "mcp.json",
        ".mcp.json",
        ".claude-plugin/plugin.json",
        ".claude-plugin/marketplace.json",
        ".codex-plugin/plugin.json",
        ".cursor-plugin/plugin.json",
        ".cursor-plugin/marketplace.json",
        ".agents/plugins/marketplace.json",
    ];
    const FOLDERS: [&str; 5] = ["skills", "agents", "commands", "cursor", "hooks"];
    let bytes = path.as_bstr();
    let ends_with =
        |file: &str| bytes.strip_suffix(file.as_bytes()).is_some_and(|above| above.is_empty() || above.ends_with(b"/"));
    let name = path.file_name_lossy();
    FILES.iter().any(|file| ends_with(file))
        || path.parent().is_some_and(|above| above.components().any(|part| FOLDERS.contains(&&*part.to_str_lossy())))
        || LICENCES.contains(&name.as_str())
}

/// Names of licence files, which a plugin takes along.
pub const LICENCES: [&str; 4] = ["LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING"];

/// Everything in a plugin apart from its version.
#[derive(Debug)]
pub struct PackContent {
    pub metadata: Metadata,
    pub components: Components,
    /// The files that do not depend on the version.
    pub files: BTreeMap<RepoPath, PackFile>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::FileMode;
    use gix_hash::ObjectId;

    fn state(byte: u8) -> FileState {
        FileState { id: ObjectId::from([byte; 20]), mode: FileMode::File }
    }

    #[test]
    fn only_own_files_are_changed() {
        let path = RepoPath::from("out/plugin.json");
        for (desired, actual, owned, unfinished, want) in [
            (Some(1), None, None, None, "write"),
            (Some(1), Some(1), None, None, "unchanged"),
            (Some(1), Some(2), None, None, "canonry did not write this file"),
            (Some(1), Some(2), Some(2), None, "write"),
            (Some(1), Some(3), Some(2), None, "edited since the last pack"),
            (Some(1), Some(3), Some(2), Some(3), "write"),
            (None, Some(2), Some(2), None, "remove"),
            (None, Some(3), Some(2), None, "edited since the last pack"),
            (None, None, Some(2), None, ""),
        ] {
            let file = |byte| PackFile { content: EditContent::Bytes(vec![byte]), state: state(byte) };
            let plan = PackPlan::build(&PackInput {
                desired: &desired.map(|byte| (path.clone(), file(byte))).into_iter().collect(),
                actual: &[(path.clone(), actual.map_or(Actual::Missing, |byte| Actual::File(state(byte))))].into(),
                owned: &owned.map(|byte| (path.clone(), state(byte))).into_iter().collect(),
                unfinished: &unfinished.map(|byte| (path.clone(), state(byte))).into_iter().collect::<Vec<_>>(),
            });
            let edits = plan.edits.iter().map(|edit| match edit {
                Edit::Write { .. } => "write".to_owned(),
                Edit::Remove { .. } | Edit::Rename { .. } => "remove".to_owned(),
            });
            let refused = plan.refused.iter().map(|(_, refusal)| refusal.to_string());
            let unchanged = (0..plan.unchanged).map(|_| "unchanged".to_owned());
            let got: Vec<String> = edits.chain(refused).chain(unchanged).collect();
            assert_eq!(got.join(", "), want, "{desired:?} {actual:?} {owned:?} {unfinished:?}");
        }
    }

    #[test]
    fn other_files_are_never_removed() {
        for (path, want) in [
            ("plugins/a/skills/b/SKILL.md", true),
            ("plugins/a/plugin.json", true),
            ("plugin.json", true),
            ("src/main.rs", false),
            ("my-plugin.json", false),
            ("agent/canonry.yaml", false),
        ] {
            assert_eq!(may_be_packed(&RepoPath::from(path)), want, "{path}");
        }
    }
}
