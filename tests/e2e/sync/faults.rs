//! A file system that fails at one of the writes of a run: no file is written partially, and the next run reaches the
//! same state as an uninterrupted run.

use crate::support::failpoints::{assert_whole, copy, fail, failpoints, for_each_failpoint, holds, is_temporary};
use crate::support::repo::{Held, Repo, Tree, document};
use crate::support::same::assert_same;
use std::sync::atomic::{AtomicUsize, Ordering};

fn changed() -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["claude"]);
    repo.write("agent/skills/beta/SKILL.md", document("beta"));
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.chmod("agent/skills/alpha/scripts/run.sh", 0o644);
    repo.remove("agent/skills/beta");
    repo.skill("gamma");
    repo.write(".claude/skills/beta/SKILL.md", "edited by hand\n");
    repo
}

/// Empty folders that sync could not remove do not count.
fn known_to_git(mut tree: Tree) -> Tree {
    tree.retain(|_, held| *held != Held::Folder);
    tree
}

/// Each write fails once with this error. A run may still succeed if the write is optional, such as the removal of an
/// empty folder.
fn refuse_everywhere(error: &str) {
    let args = ["sync", "--force"];
    let template = changed();
    let before = template.tree();
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, &args);
    let after = uninterrupted.tree();
    let failed = AtomicUsize::new(0);
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(&template);
        let status = fail(&repo, &args, failpoint, error).code();
        assert!(matches!(status, Some(0 | 70)), "{failpoint:?}: {status:?}");
        failed.fetch_add(usize::from(status == Some(70)), Ordering::Relaxed);
        assert_whole(&before, &repo.tree(), &after, failpoint);
        assert!(holds(&repo, "edited by hand\n"), "{failpoint:?}");
        repo.sync(&args[1..]).expect(0);
        assert_same(
            &known_to_git(repo.tree()),
            &known_to_git(after.clone()),
            &format!("after {error} at {failpoint:?}"),
        );
        assert!(holds(&repo, "edited by hand\n"), "{failpoint:?}");
        let own: Vec<String> = repo.tree_of(&[".git/canonry"]).into_keys().collect();
        assert!(own.iter().all(|path| path != ".git/canonry/journal" && !is_temporary(path)), "{failpoint:?}: {own:?}");
    });
    let failed = failed.into_inner();
    assert!(failed > 10, "{failed} of {} writes matter", failpoints.len());
}

/// Case: the disk fills up midway.
#[test]
fn a_full_disk_at_any_write_leaves_no_partial_file() {
    refuse_everywhere("ENOSPC");
}

#[test]
fn a_read_only_folder_at_any_write_leaves_no_partial_file() {
    refuse_everywhere("EACCES");
}
