//! Merges of an edited mirror with changes of the canon.

use crate::support::repo::{Repo, document};

const EDITED: &str = ".claude/skills/alpha/SKILL.md";
const CANON: &str = "agent/skills/alpha/SKILL.md";

fn lines(first: &str, last: &str) -> String {
    format!("{}{first}\n\nThe middle.\n\nStays.\n\n{last}\n", document("alpha"))
}

/// A committed skill that then changes in the canon and in one mirror.
fn diverged(canon: &str, mirror: &str) -> Repo {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write(CANON, lines("First.", "Last."));
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo.write(CANON, canon);
    repo.write(EDITED, mirror);
    repo
}

/// Case: a mirrored file was edited by hand.
#[test]
fn an_adopted_edit_is_merged_with_the_change_of_the_canon() {
    let repo = diverged(&lines("First, by the canon.", "Last."), &lines("First.", "Last, by hand."));
    repo.chmod(EDITED, 0o755);
    repo.sync(&["--adopt", EDITED]).expect(0).says(&["adopted   agent/skills/alpha/SKILL.md"]);
    assert_eq!(repo.text(CANON), lines("First, by the canon.", "Last, by hand."));
    assert_eq!(repo.mode(CANON), 0o755, "only the user changed the mode");
    repo.assert_mirrored(&["alpha", "beta"]);
    repo.sync(&["--check"]).expect(0);
    repo.sync(&["--adopt", EDITED]).expect(0);
    assert_eq!(repo.text(CANON), lines("First, by the canon.", "Last, by hand."));
}

/// Case: a mirrored file was edited by hand.
#[test]
fn conflicting_lines_are_shown_and_nothing_is_written() {
    let repo = diverged(&lines("By the canon.", "Last."), &lines("By hand.", "Last."));
    repo.write(".claude/skills/beta/SKILL.md", document("beta") + "fine\n");
    let before = repo.tree();
    let ran = repo.sync(&["--adopt", ".claude/skills/beta", "--adopt", ".claude/skills/alpha"]).expect(5);
    ran.says(&[
        "<<<<<<< agent/skills/alpha/SKILL.md\nBy the canon.\n=======\nBy hand.\n>>>>>>> .claude/skills/alpha/SKILL.md\n",
        "change the same lines",
        "--ours",
    ])
    .says_nothing_of(&["The middle"]);
    assert_eq!(repo.tree(), before, "all or nothing, and no file gets a conflict marker");
    // Follow the message: write the result into the canon; the mirror's version is backed up.
    repo.write(CANON, lines("By the canon and by hand.", "Last."));
    repo.sync(&["--adopt", ".claude/skills/beta"]).expect(5);
    repo.sync(&["--force"]).expect(0).says(&[&format!("backed up {EDITED}")]);
    repo.assert_mirrored(&["alpha", "beta"]);
}

#[test]
fn identical_changes_on_both_sides_do_not_conflict() {
    let repo = diverged(&lines("Both.", "Last."), &lines("Both.", "Last, by hand."));
    repo.sync(&["--adopt", EDITED]).expect(0);
    assert_eq!(repo.text(CANON), lines("Both.", "Last, by hand."));
    repo.assert_mirrored(&["alpha"]);
}

#[test]
fn a_folder_with_stale_and_edited_files_is_adopted() {
    let repo = diverged(&lines("First.", "Last."), &lines("First.", "Last, by hand."));
    repo.write("agent/skills/alpha/scripts/run.sh", "#!/bin/sh\necho news\n");
    repo.sync(&["--adopt", ".claude/skills/alpha"]).expect(0);
    assert_eq!(repo.text("agent/skills/alpha/scripts/run.sh"), "#!/bin/sh\necho news\n");
    assert_eq!(repo.text(CANON), lines("First.", "Last, by hand."));
    repo.assert_mirrored(&["alpha"]);
}

fn never_committed() -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(CANON, lines("First.", "Last."));
    repo.sync(&[]).expect(0);
    repo.write(CANON, lines("First, by the canon.", "Last."));
    repo.write(EDITED, lines("First.", "Last, by hand."));
    repo
}

#[test]
fn the_common_base_is_found_in_another_mirror() {
    let repo = never_committed();
    repo.sync(&["--adopt", EDITED]).expect(0);
    assert_eq!(repo.text(CANON), lines("First, by the canon.", "Last, by hand."));
    repo.assert_mirrored(&["alpha"]);
}

#[test]
fn an_edit_without_a_common_base_is_not_merged() {
    // The base was never committed, so git has no such object, and the other mirrors were updated.
    let repo = never_committed();
    repo.sync(&[]).expect(5);
    let before = repo.tree();
    repo.sync(&["--adopt", EDITED]).expect(5).says(&["have changes of their own", "sync --diff"]);
    assert_eq!(repo.tree(), before);
}

#[test]
fn binary_files_are_not_merged() {
    let repo = Repo::with_skills(&["alpha"]);
    let canon = "agent/skills/alpha/logo";
    let mirror = ".claude/skills/alpha/logo";
    repo.write(canon, b"1\n\0\n2\n3\n4\n");
    repo.link("agent/skills/alpha/link", "logo");
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo.write(canon, b"0\n\0\n2\n3\n4\n");
    repo.write(mirror, b"1\n\0\n2\n3\n5\n");
    for path in ["agent/skills/alpha/link", ".claude/skills/alpha/link"] {
        repo.remove(path);
        repo.link(path, format!("to-{}", path.len()));
    }
    let before = repo.tree();
    for path in [mirror, ".claude/skills/alpha/link"] {
        repo.sync(&["--adopt", path]).expect(5).says(&["have changes of their own"]).says_nothing_of(&["<<<<"]);
    }
    assert_eq!(repo.tree(), before);
}

#[test]
fn a_merge_in_a_crlf_checkout_keeps_its_line_endings() {
    let crlf = |text: String| text.replace('\n', "\r\n");
    let repo = diverged(&lines("First.", "Last."), &lines("First.", "Last."));
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.write(CANON, crlf(lines("First, by the canon.", "Last.")));
    repo.write(EDITED, crlf(lines("First.", "Last, by hand.")));
    repo.sync(&["--adopt", EDITED]).expect(0);
    assert_eq!(repo.text(CANON), crlf(lines("First, by the canon.", "Last, by hand.")));
    repo.assert_mirrored(&["alpha"]);
    repo.sync(&["--check"]).expect(0);
    repo.commit_all("merged");
    assert_eq!(repo.git(&["show", &format!("HEAD:{CANON}")]) + "\n", lines("First, by the canon.", "Last, by hand."));
    repo.check(&["--rev", "HEAD"]).expect(0);
}

#[test]
fn an_edited_orphan_is_adopted_back_into_the_canon() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(".claude/skills/beta/SKILL.md", document("beta") + "my edit\n");
    repo.remove("agent/skills/beta");
    repo.sync(&[]).expect(5).says(&["edited by hand, and its canonical file no longer exists"]);
    repo.sync(&["--adopt", ".claude/skills/beta"]).expect(0);
    assert_eq!(repo.text("agent/skills/beta/SKILL.md"), document("beta") + "my edit\n");
    repo.assert_mirrored(&["alpha", "beta"]);
}
