//! `canonry memory archive-workspace`.

use crate::dream::team::{NOW, SNAPSHOTS, WORKSPACE, team};
use crate::support::repo::{Ran, Repo};

fn archive(repo: &Repo, args: &[&str]) -> Ran {
    repo.canonry(&[&["memory", "archive-workspace", "--now", NOW], args].concat())
}

#[test]
fn the_workspace_is_archived_and_reset_in_one_commit() {
    let repo = team("");
    repo.write(WORKSPACE, "# Workspace\n\nBusy.\n");
    repo.write("mine", "unrelated\n");
    repo.git(&["add", "mine"]);
    archive(&repo, &[]).expect(0).says(&["WORKSPACE-2026-05-01.md", "Committed as"]);
    assert_eq!(repo.text(&format!("{SNAPSHOTS}/WORKSPACE-2026-05-01.md")), "# Workspace\n\nBusy.\n");
    assert!(repo.text(WORKSPACE).contains("\n## Next steps\n"));
    assert_eq!(repo.head_changes(), [format!("A {SNAPSHOTS}/WORKSPACE-2026-05-01.md"), format!("A {WORKSPACE}")]);
    assert_eq!(repo.git(&["diff", "--cached", "--name-only"]), "mine");
    let head = repo.git(&["rev-parse", "HEAD"]);
    archive(&repo, &[]).expect(0).says(&["unchanged", "template"]);
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
    // A second one of the same day gets a number.
    repo.write(WORKSPACE, "# Workspace\n\nBusy again.\n");
    archive(&repo, &["--no-commit"]).expect(0).says(&["WORKSPACE-2026-05-01-2.md"]);
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
}

#[test]
fn nothing_happens_during_a_merge_or_through_a_link() {
    let repo = team("");
    repo.write(WORKSPACE, "# Workspace\n\nBusy.\n");
    repo.write(".git/MERGE_HEAD", format!("{}\n", repo.git(&["rev-parse", "HEAD"])));
    archive(&repo, &[]).expect(5);
    repo.remove(".git/MERGE_HEAD");
    repo.write("elsewhere", "# Busy\n");
    repo.remove(WORKSPACE);
    repo.link(WORKSPACE, "../../../elsewhere");
    assert_ne!(archive(&repo, &[]).status, 0);
    assert_eq!(repo.text("elsewhere"), "# Busy\n");
}
