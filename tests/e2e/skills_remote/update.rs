//! Updates: three-way merges, moved and vanished skills, rewritten history.

use super::source::{Source, add, canon, skills};
use crate::support::repo::{Held, Repo};

const PDF: &str = "agent/skills/pdf/SKILL.md";

fn added(names: &[&str]) -> (Source, Repo) {
    let source = Source::new(names);
    let repo = canon();
    add(&repo, &source, &["--all"]);
    (source, repo)
}

#[test]
fn a_new_version_replaces_an_unchanged_skill() {
    let (source, repo) = added(&["pdf", "xls"]);
    skills(&repo, &["outdated"]).expect(0).says(&["2 skills current."]);
    source.edit("pdf", "One.", "Uno.");
    source.work.remove("skills/pdf/scripts/run.sh");
    source.work.write("skills/pdf/new.md", "new\n");
    source.publish();
    skills(&repo, &["outdated"]).expect(1).says(&["outdated  pdf", "3 files changed", "1 skill current, of 2 skills."]);
    let before = repo.tree();
    let preview = skills(&repo, &["update", "--dry-run"]).expect(0);
    preview.says(&["-One.\n+Uno.", "would update pdf", "unchanged 1 skill"]);
    skills(&repo, &["update"]).expect(3).says(&["Nothing was written"]);
    assert_eq!(repo.tree(), before);
    skills(&repo, &["update", "--yes"]).expect(0).says(&["updated   pdf"]);
    assert_eq!(repo.text(PDF), source.work.text("skills/pdf/SKILL.md"));
    assert!(!repo.exists("agent/skills/pdf/scripts") && repo.exists("agent/skills/pdf/new.md"));
    let lock = repo.text("agent/skills.lock");
    let commit = source.work.git(&["rev-parse", "HEAD"]);
    assert_eq!(lock.matches(&commit).count(), 1, "{lock}");
    // A commit that changes another skill does not rewrite the lock.
    source.work.write("README.md", "new\n");
    source.publish();
    skills(&repo, &["update", "--yes"]).expect(0).says(&["unchanged 2 skills"]);
    assert_eq!(repo.text("agent/skills.lock"), lock);
}

#[test]
fn local_edits_are_merged() {
    let (source, repo) = added(&["pdf"]);
    repo.write(PDF, repo.text(PDF).replace("Five.", "Five, and mine."));
    repo.write("agent/skills/pdf/notes.md", "my notes\n");
    repo.append("agent/skills/pdf/scripts/run.sh", "# mine\n");
    source.edit("pdf", "One.", "Uno.");
    // A file that moves at the source takes local edits along.
    source.work.rename("skills/pdf/scripts/run.sh", "skills/pdf/bin/run.sh");
    source.publish();
    skills(&repo, &["update", "--yes"]).expect(0).says(&["merged with local edits"]);
    let text = repo.text(PDF);
    assert!(text.contains("Uno.") && text.contains("Five, and mine."), "{text}");
    assert_eq!(repo.text("agent/skills/pdf/notes.md"), "my notes\n");
    assert!(repo.text("agent/skills/pdf/bin/run.sh").ends_with("# mine\n") && !repo.exists("agent/skills/pdf/scripts"));
    skills(&repo, &["update", "--yes"]).expect(0).says(&["unchanged 1 skill"]);
    skills(&repo, &["list", "--remote"]).expect(0).says(&["pdf  edited"]);
}

#[test]
fn a_conflict_leaves_the_skill_as_it_is() {
    let (source, repo) = added(&["pdf", "xls"]);
    repo.write(PDF, repo.text(PDF).replace("One.", "Mine."));
    source.edit("pdf", "One.", "Uno.");
    source.edit("xls", "One.", "Uno.");
    source.work.write("skills/pdf/new.md", "new\n");
    source.publish();
    let pdf = repo.tree_of(&["agent/skills/pdf"]);
    let ran = skills(&repo, &["update", "--yes"]).expect(5);
    ran.says(&["conflict  pdf", "agent/skills/pdf/SKILL.md", "updated   xls"]);
    assert_eq!(repo.tree_of(&["agent/skills/pdf"]), pdf);
    // Once the person has taken the change over, the update goes through.
    repo.write(PDF, repo.text(PDF).replace("Mine.", "Uno."));
    skills(&repo, &["update", "--yes"]).expect(0).says(&["updated   pdf"]);
    assert!(repo.exists("agent/skills/pdf/new.md"));
}

#[test]
fn a_conflict_shows_the_new_lines_and_is_settled_without_editing_the_lock() {
    for (side, first, backs_up) in [("--ours", "Mine.", false), ("--theirs", "Uno.", true)] {
        let (source, repo) = added(&["pdf"]);
        repo.write(PDF, repo.text(PDF).replace("One.", "Mine.").replace("Five.", "Five, and mine."));
        source.edit("pdf", "One.", "Uno.");
        source.publish();
        let ran = skills(&repo, &["update", "--yes"]).expect(5);
        ran.says(&["conflict  pdf", "-One.\n+Uno.", "canonry skills update pdf --ours", "--theirs"]);
        skills(&repo, &["update", side]).expect(64);
        let settled = skills(&repo, &["update", "pdf", side, "--yes"]).expect(0).says(&["updated   pdf"]);
        assert_eq!(settled.stdout.contains("backed up agent/skills/pdf/SKILL.md"), backs_up, "{}", settled.stdout);
        let text = repo.text(PDF);
        assert!(text.contains(first) && text.contains("Five, and mine."), "{side}: {text}");
        skills(&repo, &["update", "--yes"]).expect(0).says(&["unchanged 1 skill"]);
        skills(&repo, &["outdated"]).expect(0).says(&["1 skill current."]);
    }
}

#[test]
fn a_deleted_file_and_a_changed_one_conflict() {
    let (source, repo) = added(&["pdf"]);
    repo.append("agent/skills/pdf/scripts/run.sh", "echo mine\n");
    source.work.remove("skills/pdf/scripts/run.sh");
    source.publish();
    skills(&repo, &["update", "--yes"]).expect(5).says(&["conflict  pdf", "scripts/run.sh"]);
    assert!(repo.text("agent/skills/pdf/scripts/run.sh").contains("echo mine"));
}

/// A file that one side deleted, a file in place of a folder, and two new files of one name: the preferred side decides,
/// and what the person had is backed up.
#[test]
fn a_conflict_of_paths_is_settled_for_either_side() {
    const SKILL: &str = "agent/skills/pdf";
    for side in ["--ours", "--theirs"] {
        let (source, repo) = added(&["pdf"]);
        repo.append(&format!("{SKILL}/scripts/run.sh"), "echo mine\n");
        repo.write(&format!("{SKILL}/notes"), "mine\n");
        repo.write(&format!("{SKILL}/same.md"), "mine\n");
        source.work.remove("skills/pdf/scripts/run.sh");
        source.work.write("skills/pdf/notes/a.md", "theirs\n");
        source.work.write("skills/pdf/same.md", "theirs\n");
        source.edit("pdf", "One.", "Uno.");
        source.publish();
        let before = repo.tree_of(&[SKILL]);
        skills(&repo, &["update", "--yes"]).expect(5).says(&["conflict  pdf", "--ours", "--theirs"]);
        assert_eq!(repo.tree_of(&[SKILL]), before);
        let settled = skills(&repo, &["update", "pdf", side, "--yes"]).expect(0).says(&["updated   pdf"]);
        let files: Vec<String> = repo
            .tree_of(&[SKILL])
            .into_iter()
            .filter(|(_, held)| *held != Held::Folder)
            .map(|(path, _)| path.strip_prefix("agent/skills/pdf/").unwrap_or(&path).to_owned())
            .collect();
        let text = |path: &str| repo.text(&format!("{SKILL}/{path}"));
        match side {
            "--ours" => {
                assert_eq!(files, ["SKILL.md", "notes", "same.md", "scripts/run.sh"], "{}", settled.stdout);
                assert!(text("scripts/run.sh").ends_with("echo mine\n"));
                assert_eq!((text("notes"), text("same.md")), ("mine\n".to_owned(), "mine\n".to_owned()));
            }
            _ => {
                assert_eq!(files, ["SKILL.md", "notes/a.md", "same.md"], "{}", settled.stdout);
                assert_eq!((text("notes/a.md"), text("same.md")), ("theirs\n".to_owned(), "theirs\n".to_owned()));
                let lost = ["notes", "same.md", "scripts/run.sh"].map(|path| format!("backed up {SKILL}/{path} to "));
                settled.says(&lost.each_ref().map(String::as_str));
            }
        }
        // What does not conflict comes from both.
        assert!(text("SKILL.md").contains("Uno."), "{side}");
        skills(&repo, &["update", "--yes"]).expect(0).says(&["unchanged 1 skill"]);
    }
}

#[test]
fn an_untracked_file_in_the_way_is_kept() {
    let (source, repo) = added(&["pdf"]);
    repo.write(".gitignore", "*.log\n");
    repo.write("agent/skills/pdf/out.log", "my log\n");
    source.work.write("skills/pdf/out.log", "their log\n");
    source.work.git(&["add", "-f", "skills/pdf/out.log"]);
    source.publish();
    skills(&repo, &["update", "--yes"]).expect(5).says(&["conflict  pdf"]);
    assert_eq!(repo.text("agent/skills/pdf/out.log"), "my log\n");
}

#[test]
fn a_skill_that_moved_is_followed_by_its_name() {
    let (source, repo) = added(&["pdf", "xls"]);
    source.work.rename("skills/pdf", "plugins/office/skills/pdf");
    source
        .work
        .write("skills/tables/SKILL.md", source.work.text("skills/xls/SKILL.md").replace("name: xls", "name: tables"));
    source.work.remove("skills/xls");
    source.publish();
    skills(&repo, &["outdated"]).expect(1).says(&[
        "now in plugins/office/skills/pdf",
        "gone      xls",
        "`canonry skills remove xls` removes it",
    ]);
    skills(&repo, &["update", "--yes"]).expect(5).says(&["updated   pdf", "gone      xls"]);
    assert!(repo.text("agent/skills.lock").contains("plugins/office/skills/pdf"));
    assert!(repo.exists("agent/skills/xls/SKILL.md"));
}

#[test]
fn rewritten_history_is_followed_and_the_lock_still_installs() {
    let (source, repo) = added(&["pdf"]);
    let clone = Repo::nowhere(crate::support::scratch::folder());
    repo.commit_all("pdf");
    // Only the lock, as in a repository that ignores its skills.
    repo.git(&["rm", "-rq", "--cached", "agent/skills/pdf"]);
    source.work.write("README.md", "other\n");
    source.work.git(&["add", "-A"]);
    source.work.git(&["commit", "-q", "--amend", "-m", "rewritten"]);
    source.push();
    source.collect_garbage();
    std::fs::create_dir(&clone.root).unwrap();
    clone.git(&["init", "-q", "-b", "main"]);
    clone.write("agent/skills.lock", repo.text("agent/skills.lock"));
    // The commit is gone, but another one has the same content.
    skills(&clone, &["install"]).expect(0).says(&["installed pdf"]);
    source.edit("pdf", "One.", "Uno.");
    source.publish();
    source.collect_garbage();
    clone.remove("agent/skills/pdf");
    std::fs::remove_dir_all(clone.path(".git/canonry")).unwrap();
    skills(&clone, &["install"]).expect(65).says(&["failed    pdf", "any more"]);
    repo.append(PDF, "mine\n");
    skills(&repo, &["update", "--yes"]).expect(0).says(&["merged with local edits"]);
    assert!(repo.text(PDF).contains("Uno.") && repo.text(PDF).ends_with("mine\n"));
}

#[test]
fn edits_without_a_pinned_version_are_left_alone() {
    let (source, repo) = added(&["pdf"]);
    repo.append(PDF, "mine\n");
    source.edit("pdf", "One.", "Uno.");
    source.work.git(&["add", "-A"]);
    source.work.git(&["commit", "-q", "--amend", "-m", "rewritten"]);
    source.push();
    source.collect_garbage();
    std::fs::remove_dir_all(repo.path(".git/canonry")).unwrap();
    let before = repo.tree();
    skills(&repo, &["update", "--yes"]).expect(5).says(&["cannot find out which lines you edited", "--theirs"]);
    assert_eq!(repo.tree(), before);
    skills(&repo, &["update", "pdf", "--ours", "--yes"]).expect(0).says(&["updated   pdf"]);
    assert!(repo.text(PDF).ends_with("mine\n") && repo.text(PDF).contains("One."));
    skills(&repo, &["update", "--yes"]).expect(0).says(&["unchanged 1 skill"]);
}

#[test]
fn tags_and_commits_are_pins() {
    let source = Source::new(&["pdf"]);
    let repo = canon();
    source.work.git(&["tag", "-a", "-m", "v1", "v1"]);
    source.work.git(&["push", "-q", source.path().to_str().unwrap(), "v1"]);
    let first = source.work.git(&["rev-parse", "HEAD"]);
    source.edit("pdf", "One.", "Uno.");
    source.publish();
    skills(&repo, &["add", &format!("{}@v1", source.url()), "--yes"]).expect(0);
    assert!(repo.text(PDF).contains("One."));
    skills(&repo, &["outdated"]).expect(0);
    let other = canon();
    add(&other, &source, &["--ref", &first]);
    assert!(other.text(PDF).contains("One."));
    skills(&other, &["update", "--yes"]).expect(0).says(&["unchanged 1 skill"]);
    skills(&canon(), &["add", &format!("{}@v9", source.url()), "--yes"]).expect(65).says(&["no branch or tag `v9`"]);
    let missing = "0123456789012345678901234567890123456789";
    skills(&canon(), &["add", &source.url(), "--ref", missing, "--yes"]).expect(65).says(&["any more"]);
}
