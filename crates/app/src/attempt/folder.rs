//! Where the work trees of attempts are.

use crate::Environment;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The folder for the work trees of attempts at the plans of a repository: `canonry/worktrees/<name>-<digest>` in the user's
/// state folder, or `canonry/worktrees` in the git directory if there is none.
///
/// It is outside of the repository, because tools and build systems climb to parent folders. All work trees of one
/// repository share it.
pub fn attempt_folder(env: &Environment, repo: &gix::Repository) -> PathBuf {
    let common = std::fs::canonicalize(repo.common_dir()).unwrap_or_else(|_| repo.common_dir().to_owned());
    let Some(state) = &env.state else { return common.join("canonry/worktrees") };
    let digest = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, common.as_os_str().as_bytes());
    let digest = digest.map_or_else(|_| "0".repeat(8), |id| id.to_hex_with_len(8).to_string());
    state.join("canonry/worktrees").join(format!("{}-{digest}", name(&common)))
}

/// The name of the repository for people: that of the folder around `.git`, or of a bare repository.
fn name(common: &Path) -> String {
    let folder = if common.file_name() == Some(OsStr::new(".git")) { common.parent() } else { Some(common) };
    let name = folder.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    // The longest name of a folder is 255 bytes, and a letter has up to 4.
    name.chars().map(safe).take(50).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_outside_of_the_repository_and_differs_by_repository() {
        let temporary = tempfile::tempdir().unwrap();
        let top = temporary.path().canonicalize().unwrap();
        let open = |name: &str| gix::init(top.join(name)).unwrap();
        let one = open("a b/repo");
        let two = open("c/repo");
        let env = Environment { state: Some(top.join("state")), ..Environment::isolated() };
        let first = attempt_folder(&env, &one);
        let second = attempt_folder(&env, &two);
        assert_ne!(first, second);
        for folder in [&first, &second] {
            let name = folder.file_name().unwrap().to_str().unwrap();
            assert_eq!(folder.parent(), Some(top.join("state/canonry/worktrees").as_path()));
            assert!(name.starts_with("repo-") && name.len() == 13, "{name}");
        }
        let odd = attempt_folder(&env, &open("..  x\n"));
        assert!(odd.file_name().unwrap().to_str().unwrap().starts_with("..--x--"), "{}", odd.display());
        let without = attempt_folder(&Environment::isolated(), &one);
        assert_eq!(without, top.join("a b/repo/.git/canonry/worktrees"));
    }
}
