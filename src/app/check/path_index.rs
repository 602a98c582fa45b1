//! Which skills and folders of a repository have a file, for paths that a skill names and does not have.

use crate::canon::inventory::is_skill_document;
use crate::canon::skill::SKILL_FOLDERS;
use crate::syntax::RepoPath;
use gix::bstr::ByteSlice;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The files of a repository by the ends of their paths.
#[derive(Debug, Default)]
pub(super) struct PathIndex {
    /// The ends that start with `scripts/`, outside of skills. Those of skills do not count: a skill that misses a file which another
    /// has is mostly a copy that left it behind.
    scripts: HashSet<String>,
    /// The names of the folders of skills that have a file, by its path below such a folder.
    skills_with: HashMap<String, BTreeSet<String>>,
    /// The names of the folders of all skills.
    skills: HashSet<String>,
}

/// Skills with a file at one path, at most: each text that misses it is searched for all of their names.
const MAX_SKILLS: usize = 100;

impl PathIndex {
    pub fn new<'a>(paths: impl Iterator<Item = &'a RepoPath> + Clone) -> Self {
        let documents = paths.clone().filter(|path| is_skill_document(path));
        let folders: Vec<RepoPath> = documents.filter_map(RepoPath::parent).filter(|f| !f.is_empty()).collect();
        let known: HashSet<&[u8]> = folders.iter().map(|folder| folder.as_bstr().as_bytes()).collect();
        let mut index = Self { skills: folders.iter().map(RepoPath::file_name_lossy).collect(), ..Self::default() };
        for path in paths {
            index.add(path.as_bstr(), &known);
        }
        index
    }

    fn add(&mut self, path: &[u8], skills: &HashSet<&[u8]>) {
        let mut is_of_skill = false;
        let mut scripts: Vec<&[u8]> = Vec::new();
        let starts = std::iter::once(0).chain(path.find_iter(b"/").map(|slash| slash + 1));
        for start in starts {
            let above = path[..start].strip_suffix(b"/").unwrap_or_default();
            let end = &path[start..];
            let is_skill = !above.is_empty() && skills.contains(above);
            is_of_skill |= is_skill;
            let Some((folder, _)) = end.split_once_str("/") else { continue };
            if is_skill && SKILL_FOLDERS.iter().any(|known| folder == known.as_bytes()) {
                let name = RepoPath::new(above).file_name_lossy();
                self.skills_with.entry(end.to_str_lossy().into_owned()).or_default().insert(name);
            }
            if folder == b"scripts" {
                scripts.push(end);
            }
        }
        if !is_of_skill {
            self.scripts.extend(scripts.into_iter().map(|end| end.to_str_lossy().into_owned()));
        }
    }

    /// Whether a folder that belongs to no skill has a file at this path, which starts with `scripts/`.
    pub fn has_script(&self, path: &str) -> bool {
        self.scripts.contains(path)
    }

    /// The names of the folders of all skills that have a file at this path; none if it is in so many that it says nothing.
    pub fn skills_with(&self, path: &str) -> BTreeSet<String> {
        self.skills_with.get(path).filter(|names| names.len() <= MAX_SKILLS).cloned().unwrap_or_default()
    }

    /// Whether the folder of a skill has this name.
    pub fn is_skill(&self, name: &str) -> bool {
        self.skills.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_skills_and_scripts_of_other_folders_are_found() {
        let paths = [
            "SKILL.md",
            "references/top.md",
            "scripts/top.py",
            "skills/notes/SKILL.md",
            "skills/notes/references/tone.md",
            "skills/notes/scripts/sort.py",
            "skills/notes/tags/SKILL.md",
            "skills/notes/tags/references/tone.md",
            "tools/scripts/deep/scripts/run.sh",
        ];
        let paths = paths.map(RepoPath::from);
        let index = PathIndex::new(paths.iter());
        let names = |path: &str| index.skills_with(path).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(names("references/tone.md"), "notes tags");
        assert_eq!(names("scripts/sort.py"), "notes");
        assert_eq!(names("references/top.md"), "", "its name depends on the clone");
        assert!(index.is_skill("tags") && !index.is_skill("tools") && !index.is_skill(""));
        for (path, want) in [
            ("scripts/top.py", true),
            ("scripts/deep/scripts/run.sh", true),
            ("scripts/run.sh", true),
            ("scripts/sort.py", false),
        ] {
            assert_eq!(index.has_script(path), want, "{path}");
        }
    }
}
