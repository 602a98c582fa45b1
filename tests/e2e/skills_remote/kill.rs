//! A kill before each write loses nothing, and the next run finishes.

use super::source::{Source, add, canon, skills};
use crate::support::failpoints::{
    assert_whole, copy, failpoints, for_each_failpoint, holds, is_temporary, kill, sample,
};
use crate::support::repo::{Held, Repo, Tree};
use crate::support::same::assert_same;

/// Interrupts a command at each write; then runs it again, with a sync in between every other time.
fn interrupt(template: &Repo, args: &[&str], precious: &[&str]) {
    let before = template.tree();
    let uninterrupted = copy(template);
    let writes = failpoints(&uninterrupted, args);
    let after = uninterrupted.tree();
    assert!(before != after && writes.len() > 4, "{writes:#?}");
    for_each_failpoint(&sample(writes), |failpoint| {
        let repo = copy(template);
        kill(&repo, args, failpoint);
        assert_whole(&before, &repo.tree(), &after, failpoint);
        let lost: Vec<_> = precious.iter().filter(|text| !holds(&repo, text)).collect();
        assert!(lost.is_empty(), "{failpoint:?}: {lost:?} after the kill");
        let synced = copy(&repo);
        let again = repo.canonry(args);
        // The removal was complete, apart from the journal.
        let is_complete = again.status == 65 && again.all().contains("does not come from elsewhere");
        assert!(again.status == 0 || is_complete, "{failpoint:?}: {}", again.all());
        assert_same(&repo.tree(), &after, &format!("after a kill at {failpoint:?}"));
        let own: Vec<String> = repo.tree_of(&[".git/canonry"]).into_keys().collect();
        assert!(own.iter().all(|path| path != ".git/canonry/journal" && !is_temporary(path)), "{failpoint:?}: {own:?}");
        // A sync of the interrupted state takes no file of the canon away. Empty folders may go.
        let files = |repo: &Repo| -> Tree {
            let tree = repo.tree_of(&["agent/skills"]).into_iter();
            tree.filter(|(path, held)| !is_temporary(path) && *held != Held::Folder).collect()
        };
        let canon = files(&synced);
        synced.sync(&[]).expect(0);
        assert_same(&files(&synced), &canon, &format!("after a sync at {failpoint:?}"));
    });
}

#[test]
fn an_interrupted_add_update_or_removal_is_finished() {
    let source = Source::new(&["pdf", "xls"]);
    let repo = canon();
    let url = source.url();
    interrupt(&repo, &["skills", "add", &url, "--all", "--yes"], &[]);
    add(&repo, &source, &["--all"]);
    repo.write("agent/skills/pdf/SKILL.md", repo.text("agent/skills/pdf/SKILL.md").replace("Five.", "Five, and mine."));
    repo.write("agent/skills/pdf/notes.md", "my notes\n");
    source.edit("pdf", "One.", "Uno.");
    source.work.write("skills/pdf/new/a.md", "a\n");
    source.work.remove("skills/pdf/scripts/run.sh");
    source.publish();
    let precious = ["Five, and mine.", "my notes\n"];
    interrupt(&repo, &["skills", "update", "--yes"], &precious);
    skills(&repo, &["update", "--yes"]).expect(0);
    interrupt(&repo, &["skills", "remove", "pdf", "--force"], &precious);
    repo.remove("agent/skills/xls");
    interrupt(&repo, &["skills", "install"], &precious);
}
