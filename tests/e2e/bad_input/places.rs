//! No repository, no canon, or a file where a folder is expected.

use crate::support::repo::Repo;
use crate::support::unprivileged::run_unprivileged;

#[test]
fn a_folder_outside_of_a_repository_is_refused() {
    let repo = Repo::empty();
    let folder = repo.outside("plain");
    for command in [&["sync"][..], &["check", "--staged"], &["check", "--rev", "HEAD"]] {
        repo.canonry_in(&folder, command).expect(65).says(&["plain", "not in a git repository", "git init"]);
    }
}

#[test]
fn a_missing_folder_is_refused() {
    let repo = Repo::empty();
    repo.canonry(&["-C", "nowhere", "sync"]).expect(65).says(&["nowhere"]);
}

#[test]
fn a_repository_without_a_canon_cannot_be_synced_and_has_nothing_to_check() {
    let repo = Repo::empty();
    repo.canonry(&["sync"]).expect(65).says(&["`agent`", "agent/skills/<name>/SKILL.md"]);
    repo.write("README.md", "x\n");
    repo.commit_all("no canon");
    for args in [&["check"][..], &["check", "--rev", "HEAD"]] {
        repo.canonry(args).expect(0).says(&["nothing was checked"]).says_nothing_of(&["canon "]);
    }
    // A hook runs on every branch, including branches without a canon.
    repo.canonry(&["check", "--staged"]).expect(0).says_nothing_of(&["canon "]);
    assert!(!repo.exists(".claude") && !repo.exists("agent"));
}

#[test]
fn an_empty_canon_is_up_to_date() {
    let repo = Repo::empty();
    std::fs::create_dir_all(repo.path("agent/skills")).unwrap();
    repo.sync(&[]).expect(65).says(&["no canon found"]);
    repo.write("agent/canonry.yaml", "");
    repo.sync(&[]).expect(0);
    repo.check(&[]).expect(0);
    assert!(!repo.exists("agent/mirrors.lock") && !repo.exists(".claude"));
}

#[test]
fn an_unknown_revision_is_refused() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.check(&["--rev", "HEAD"]).expect(65).says(&["HEAD"]);
    repo.check(&["--rev", "nonsense"]).expect(65).says(&["nonsense"]);
    assert_eq!(repo.check(&["--staged"]).expect(0).stdout, "");
}

#[test]
fn a_bare_repository_supports_only_check_rev() {
    let repo = Repo::empty();
    let bare = repo.outside("bare");
    repo.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    for command in ["sync", "check"] {
        repo.canonry_in(&bare, &[command]).expect(65).says(&["bare repository", "--rev"]);
    }
}

#[test]
fn a_file_instead_of_the_canon_is_reported() {
    let repo = Repo::empty();
    repo.write("agent", "a file\n");
    repo.sync(&[]).expect(65).says(&["`agent` is a file"]);
    // It may be any program. A linter has no use for a canon.
    repo.check(&[]).expect(0).says(&["there is no canon (`agent` is no folder)"]);
}

#[test]
fn a_file_instead_of_a_mirror_is_refused() {
    for file in [".claude/skills", ".claude"] {
        let repo = Repo::with_skills(&["alpha"]);
        repo.write(file, "mine\n");
        for args in [&[][..], &["--force"]] {
            repo.sync(args).expect(5).says(&[&format!("{file} is not a folder")]);
            assert_eq!(repo.text(file), "mine\n");
        }
        repo.assert_copied("alpha", ".codex/skills/alpha");
        repo.check(&[]).expect(1).says(&["mirror-occupied"]);
    }
}

#[test]
fn a_file_instead_of_a_mirrored_folder_and_a_folder_instead_of_a_file_are_refused() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write(".claude/skills/alpha", "mine\n");
    repo.write(".codex/skills/alpha/SKILL.md/mine", "mine\n");
    for args in [&[][..], &["--force"]] {
        repo.sync(args)
            .expect(5)
            .says(&["the file .claude/skills/alpha stands where", "and .codex/skills/alpha/SKILL.md/mine is in"]);
    }
    assert_eq!(repo.text(".claude/skills/alpha"), "mine\n");
    assert_eq!(repo.text(".codex/skills/alpha/SKILL.md/mine"), "mine\n");
    repo.assert_mirrored(&["beta"]);
}

#[test]
fn an_empty_folder_or_a_pipe_instead_of_a_mirrored_file_is_refused() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    std::fs::create_dir_all(repo.path(".claude/skills/alpha/SKILL.md")).unwrap();
    std::fs::create_dir_all(repo.path(".codex/skills/alpha")).unwrap();
    assert!(repo.command("mkfifo").arg(".codex/skills/alpha/SKILL.md").status().unwrap().success());
    for _ in 0..2 {
        repo.sync(&[]).expect(5).says(&[".claude/skills/alpha/SKILL.md", ".codex/skills/alpha/SKILL.md"]);
        repo.assert_mirrored(&["beta"]);
        let lock = repo.text("agent/mirrors.lock");
        assert!(!lock.contains(".claude/skills/alpha/SKILL.md"), "a refused file is not owned\n{lock}");
    }
}

#[test]
fn a_read_only_target_fails_and_other_targets_are_written() {
    let repo = Repo::with_skills(&["alpha"]);
    std::fs::create_dir_all(repo.path(".codex/skills")).unwrap();
    repo.chmod(".codex/skills", 0o555);
    let ran = run_unprivileged(&repo, &["sync"]);
    repo.chmod(".codex/skills", 0o755);
    ran.expect(70).says(&[".codex/skills/alpha", "cannot be", "run this again"]);
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}

/// Commits a folder that is a repository, with a work tree elsewhere.
fn embed(repo: &Repo, folder: &str, worktree: &std::path::Path) {
    let config = format!("[core]\n\tbare = false\n\tworktree = {}\n", worktree.display());
    repo.write(&format!("{folder}/config"), config);
    repo.write(&format!("{folder}/HEAD"), "ref: refs/heads/main\n");
    repo.write(&format!("{folder}/objects/.keep"), "");
    repo.write(&format!("{folder}/refs/.keep"), "");
}

const WRITERS: [&[&str]; 6] =
    [&["init"], &["sync"], &["import"], &["log", "--action", "x"], &["dream"], &["skills", "index"]];

#[test]
fn an_embedded_repository_with_a_foreign_work_tree_is_passed_over() {
    for is_above in [false, true] {
        let repo = Repo::with_skills(&["alpha"]);
        let victim = repo.outside("victim");
        let worktree = if is_above { repo.root.parent().unwrap().to_owned() } else { victim.clone() };
        embed(&repo, "sub", &worktree);
        repo.write("sub/deeper/x", "");
        let before = repo.outside_names();
        for folder in ["sub", "sub/deeper"] {
            for args in WRITERS {
                repo.canonry_in(&repo.path(folder), args);
            }
        }
        assert_eq!(repo.outside_names(), before, "the folder above has something new");
        assert_eq!(std::fs::read_dir(&victim).unwrap().count(), 0, "the victim has something new");
        // The repository around it is the one that counts.
        repo.canonry_in(&repo.path("sub"), &["check"]).expect(0);
        assert!(repo.exists(".claude/skills/alpha/SKILL.md"));
    }
}

#[test]
fn a_work_tree_elsewhere_is_refused() {
    let repo = Repo::with_skills(&["alpha"]);
    let victim = repo.outside("victim");
    repo.git(&["config", "core.worktree", victim.to_str().unwrap()]);
    for args in WRITERS.into_iter().chain([&["check"][..], &["status"]]) {
        repo.canonry(args).expect(65).says(&["core.worktree", "victim"]);
    }
    assert_eq!(std::fs::read_dir(&victim).unwrap().count(), 0);
    // In the work tree, and with the variables of git, the repository is the same as ever.
    repo.git(&["config", "core.worktree", repo.root.to_str().unwrap()]);
    repo.sync(&[]).expect(0);
}
