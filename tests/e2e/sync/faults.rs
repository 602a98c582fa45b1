//! A file system that refuses at any one of a run's writes: nothing is half-written, and the next run ends where it would
//! have ended.

use crate::support::killing::{assert_whole, can_trace, copy, holds, inject, is_temporary, places};
use crate::support::repo::{Held, Repo, Tree, document};
use crate::support::same::assert_same;

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
    if !can_trace() {
        return;
    }
    let args = ["sync", "--force"];
    let template = changed();
    let before = template.tree();
    let uninterrupted = copy(&template);
    let places = places(&uninterrupted, &args);
    let after = uninterrupted.tree();
    let mut failed = 0;
    for place in &places {
        let repo = copy(&template);
        let status = inject(&repo, &args, place, &format!("error={error}")).code();
        assert!(matches!(status, Some(0 | 70)), "{place:?}: {status:?}");
        failed += usize::from(status == Some(70));
        assert_whole(&before, &repo.tree(), &after, place);
        assert!(holds(&repo, "edited by hand\n"), "{place:?}");
        repo.sync(&args[1..]).expect(0);
        assert_same(&known_to_git(repo.tree()), &known_to_git(after.clone()), &format!("after {error} at {place:?}"));
        assert!(holds(&repo, "edited by hand\n"), "{place:?}");
        let own: Vec<String> = repo.tree_of(&[".git/canonry"]).into_keys().collect();
        assert!(own.iter().all(|path| path != ".git/canonry/journal" && !is_temporary(path)), "{place:?}: {own:?}");
    }
    assert!(failed > 10, "{failed} of {} writes matter", places.len());
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
