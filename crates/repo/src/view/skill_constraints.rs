//! The constraints of all skills, for hooks, which do not open the whole repository.

use canonry_model::canon::constraint::{SkillConstraint, skill_constraints};
use canonry_text::RepoPath;
use rayon::prelude::*;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The largest frontmatter to read, in bytes.
const LIMIT: u64 = 64 << 10;
/// Nested folders of skills that are looked into.
const MAX_DEPTH: usize = 3;

/// The constraints of the skills in a folder below `top`, by path. Links are not followed. A document that cannot be read has
/// none: its agent cannot read it either, and `check` reports it.
pub fn load(top: &Path, skills: &RepoPath) -> Vec<(RepoPath, SkillConstraint)> {
    let mut documents = Vec::new();
    find(&top.join(skills.to_display()), skills, MAX_DEPTH, &mut documents);
    let constraints = documents.into_par_iter().flat_map_iter(|(path, at)| {
        let found = read(&at).map(|text| skill_constraints(&text)).unwrap_or_default();
        found.into_iter().map(move |constraint| (path.clone(), constraint))
    });
    constraints.collect()
}

fn find(folder: &Path, path: &RepoPath, depth: usize, found: &mut Vec<(RepoPath, PathBuf)>) {
    let mut folders: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    folders.sort_unstable();
    for name in folders {
        let at = folder.join(&name);
        let own = path.join(&name);
        let document = at.join("SKILL.md");
        match fs::symlink_metadata(&document) {
            Ok(meta) if meta.is_file() => found.push((own.join("SKILL.md"), document)),
            Ok(_) => {}
            Err(_) if depth > 1 => find(&at, &own, depth - 1, found),
            Err(_) => {}
        }
    }
}

fn read(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    crate::fs::open(path).ok()?.take(LIMIT).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_at_any_level_are_read() {
        let dir = tempfile::tempdir().unwrap();
        for (name, constraint) in [("a", "never run: one"), ("ops/b", "never run: two")] {
            let folder = dir.path().join("agent/skills").join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("SKILL.md"), format!("---\nname: x\nconstraints: [\"{constraint}\"]\n---\n"))
                .unwrap();
        }
        let found = load(dir.path(), &RepoPath::from("agent/skills"));
        let found: Vec<String> =
            found.into_iter().map(|(path, own)| format!("{path}:{} {}", own.line, own.text)).collect();
        assert_eq!(found, ["agent/skills/a/SKILL.md:3 never run: one", "agent/skills/ops/b/SKILL.md:3 never run: two"]);
    }
}
