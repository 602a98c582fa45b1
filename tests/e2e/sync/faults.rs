//! A file system that refuses at any one of a run's writes: nothing is half-written, and the next run ends where it would
//! have ended.

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

/// A folder that could not be removed is empty, and stays.
fn known_to_git(mut tree: Tree) -> Tree {
    tree.retain(|_, held| *held != Held::Folder);
    tree
}

/// Each write fails once with this error. A run may end well all the same where it does without: an empty folder that
/// stays, a line that nobody reads.
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
fn a_disk_that_is_full_at_any_write() {
    refuse_everywhere("ENOSPC");
}

#[test]
fn a_folder_or_a_file_that_may_not_be_written() {
    refuse_everywhere("EACCES");
}
