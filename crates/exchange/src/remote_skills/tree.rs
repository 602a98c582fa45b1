//! The files of a skill, as git stores them.

use bstr::{BStr, BString, ByteSlice};
use canonry_model::canon::tree::tree_id;
use canonry_model::canon::{FileMode, FileState};
use canonry_text::RepoPath;
use gix_hash::ObjectId;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization as _;

/// The largest file of a skill.
const MAX_FILE: usize = 20 << 20;
/// The most bytes of a skill.
const MAX_TOTAL: usize = 100 << 20;
/// The most files of a skill.
const MAX_FILES: usize = 5_000;

/// A file or a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    pub mode: FileMode,
    /// The content; for a link, its target.
    pub bytes: Vec<u8>,
}

/// The files of a skill, by their paths below its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillTree {
    pub files: BTreeMap<BString, TreeFile>,
}

/// Why the files of a skill are not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeProblem {
    pub path: RepoPath,
    pub reason: String,
}

impl SkillTree {
    /// The id of git's tree with these files, in SHA-1: it is the same in every repository.
    pub fn content_id(&self) -> ObjectId {
        let kind = gix_hash::Kind::Sha1;
        let states: Vec<(&BStr, FileState)> =
            self.files.iter().map(|(path, file)| (path.as_bstr(), file.state(kind))).collect();
        tree_id(&states, kind)
    }

    /// Why these files must not be written, in the order of the paths; empty if they may.
    pub fn problems(&self) -> Vec<TreeProblem> {
        let mut problems = Vec::new();
        let mut report = |path: &BStr, reason: String| problems.push(TreeProblem { path: RepoPath::new(path), reason });
        let mut names: BTreeMap<String, BString> = BTreeMap::new();
        for (path, file) in &self.files {
            if let Some(reason) = path_problem(path.as_bstr()) {
                report(path.as_bstr(), reason);
                continue;
            }
            for folder in path.find_iter("/").chain([path.len()]).map(|end| &path[..end]) {
                let other = names.entry(folded(folder)).or_insert_with(|| folder.into());
                if *other != folder {
                    report(path.as_bstr(), format!("its name differs from `{}` only in case", RepoPath::new(other)));
                }
            }
            if let Some(reason) = self.content_problem(path.as_bstr(), file) {
                report(path.as_bstr(), reason);
            }
        }
        let total: usize = self.files.values().map(|file| file.bytes.len()).sum();
        if total > MAX_TOTAL || self.files.len() > MAX_FILES {
            let reason = format!("{} files with {} MiB are more than a skill may have", self.files.len(), total >> 20);
            problems.push(TreeProblem { path: RepoPath::default(), reason });
        }
        problems
    }

    fn content_problem(&self, path: &BStr, file: &TreeFile) -> Option<String> {
        match file.mode {
            FileMode::Submodule => Some("it is a submodule, which is not followed".to_owned()),
            FileMode::Link => {
                let target = file.bytes.to_str_lossy();
                // The skill's folder is the root here, so that a path above it does not resolve.
                let inside = RepoPath::new(path).resolve_beside(&file.bytes);
                let is_odd = file.bytes.is_empty() || file.bytes.contains(&b'\\') || file.bytes.contains(&0);
                (is_odd || climbs_late(&file.bytes) || inside.is_none())
                    .then(|| format!("the link leads out of the skill, to `{target}`"))
            }
            FileMode::File | FileMode::Executable if file.bytes.len() > MAX_FILE => {
                Some(format!("it has {} MiB, more than a skill's file may have", file.bytes.len() >> 20))
            }
            FileMode::File | FileMode::Executable if is_lfs_pointer(&file.bytes) => {
                Some("it is a pointer of Git LFS, whose content is not fetched".to_owned())
            }
            FileMode::File | FileMode::Executable => None,
        }
    }

    /// The files that `other` does not have in the same way.
    pub fn foreign_paths(&self, other: &Self) -> Vec<RepoPath> {
        let foreign = self.files.iter().filter(|(path, file)| other.files.get(*path) != Some(file));
        foreign.map(|(path, _)| RepoPath::new(path)).collect()
    }

    /// Whether all files of `part` are in this tree in the same way.
    pub fn contains(&self, part: &Self) -> bool {
        part.foreign_paths(self).is_empty()
    }

    /// The paths whose file differs between two trees, or that only one has.
    pub fn changed_paths(&self, other: &Self) -> Vec<RepoPath> {
        let paths = self.files.keys().chain(other.files.keys().filter(|path| !self.files.contains_key(*path)));
        let mut changed: Vec<RepoPath> =
            paths.filter(|path| self.files.get(*path) != other.files.get(*path)).map(RepoPath::new).collect();
        changed.sort();
        changed
    }
}

impl TreeFile {
    /// Its id and mode.
    pub fn state(&self, kind: gix_hash::Kind) -> FileState {
        // Hashing fails only on a detected SHA-1 collision; the null id equals no file.
        let id = gix_object::compute_hash(kind, gix_object::Kind::Blob, &self.bytes);
        FileState { id: id.unwrap_or_else(|_| ObjectId::null(kind)), mode: self.mode }
    }
}

/// Whether `..` comes after a name: the name may be another link, so that the text does not tell where `..` leads.
fn climbs_late(target: &[u8]) -> bool {
    let mut parts = target.split_str("/").filter(|part| !matches!(*part, b"" | b"."));
    parts.by_ref().find(|part| *part != b"..").is_some() && parts.any(|part| part == b"..")
}

/// Why a path must not be written on some system.
fn path_problem(path: &BStr) -> Option<String> {
    let options =
        gix_validate::path::component::Options { protect_windows: true, protect_hfs: true, protect_ntfs: true };
    let mut parts = path.split(|byte| *byte == b'/').map(ByteSlice::as_bstr);
    let invalid = parts.find_map(|part| gix_validate::path::component(part, None, options).err());
    if let Some(error) = invalid {
        return Some(format!("its path is not allowed: {error}"));
    }
    let has_control = path.iter().any(u8::is_ascii_control);
    (has_control || path.to_str().is_err()).then(|| "its path is not readable text".to_owned())
}

/// A name as file systems compare it that ignore case.
fn folded(path: &[u8]) -> String {
    path.to_str_lossy().nfkc().collect::<String>().to_lowercase()
}

fn is_lfs_pointer(bytes: &[u8]) -> bool {
    bytes.len() < 1024 && bytes.starts_with(b"version https://git-lfs.github.com/spec/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, FileMode, &str)]) -> SkillTree {
        let file = |(path, mode, text): &(&str, FileMode, &str)| {
            (BString::from(*path), TreeFile { mode: *mode, bytes: text.as_bytes().to_vec() })
        };
        SkillTree { files: files.iter().map(file).collect() }
    }

    #[test]
    fn paths_and_links_that_lead_elsewhere_are_problems() {
        let text = |path| (path, FileMode::File, "x");
        for file in [
            text("../x"),
            text("a/../x"),
            text(".git/config"),
            text("a/.GIT/hooks/x"),
            text("git~1/x"),
            text(".g\u{200c}it/x"),
            text("a\nb"),
            text("con"),
            text("a\\b"),
            text("a//b"),
            ("link", FileMode::Link, "/etc/passwd"),
            ("link", FileMode::Link, "../x"),
            ("a/link", FileMode::Link, "../../x"),
            ("link", FileMode::Link, "a/../x"),
            ("link", FileMode::Link, ""),
            ("link", FileMode::Link, "..\\x"),
            ("sub", FileMode::Submodule, ""),
            ("big.bin", FileMode::File, "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
        ] {
            assert_eq!(tree(&[file]).problems().len(), 1, "{file:?}");
        }
        let fine = tree(&[text("SKILL.md"), ("a/link", FileMode::Link, "../SKILL.md"), ("b/up", FileMode::Link, "..")]);
        assert_eq!(fine.problems(), []);
    }

    #[test]
    fn names_that_differ_only_in_case_clash() {
        let text = |path| (path, FileMode::File, "x");
        assert_eq!(tree(&[text("a.md"), text("A.md")]).problems().len(), 1);
        assert_eq!(tree(&[text("Docs/a"), text("docs/b")]).problems().len(), 1);
        assert_eq!(tree(&[text("docs/a"), text("docs/b"), text("docs2/A")]).problems(), []);
    }

    #[test]
    fn the_content_id_is_the_tree_that_git_writes() {
        let skill = tree(&[("SKILL.md", FileMode::File, "hello\n"), ("s/run.sh", FileMode::Executable, "#!/bin/sh\n")]);
        // `git write-tree` of these files.
        assert_eq!(skill.content_id().to_string(), "f5322efcada81fd92d14e4857d02c1e7e8094dd3");
    }

    #[test]
    fn differences_have_both_sides() {
        let one = tree(&[("a", FileMode::File, "1"), ("b", FileMode::File, "1")]);
        let other = tree(&[("b", FileMode::Executable, "1"), ("c", FileMode::File, "1")]);
        let changed: Vec<String> = one.changed_paths(&other).iter().map(RepoPath::to_display).collect();
        assert_eq!(changed, ["a", "b", "c"]);
    }
}
