//! An invalid lock or config.

use crate::support::repo::{Repo, document};

/// Asserts that nothing is written, and that the message names the file, the line and a remedy.
fn assert_unreadable(repo: &Repo, words: &[&str]) {
    let before = repo.tree();
    for args in [&["sync"][..], &["sync", "--check"], &["sync", "--force"], &["check"]] {
        repo.canonry(args).expect(65).says(words).says(&["help: "]);
    }
    assert_eq!(repo.tree(), before);
}

#[test]
fn a_corrupt_lock_is_reported() {
    for (text, line) in [("nonsense\n", 1), ("\0\0\0", 1), ("0123 100644 x\n", 1)] {
        let repo = Repo::synced(&["alpha"]);
        repo.write("agent/mirrors.lock", text);
        assert_unreadable(&repo, &["agent/mirrors.lock", &format!("line {line}"), "--adopt --all"]);
    }
    let repo = Repo::synced(&["alpha"]);
    let good = repo.text("agent/mirrors.lock");
    repo.write("agent/mirrors.lock", good.clone() + "torn");
    assert_unreadable(&repo, &["agent/mirrors.lock", &format!("line {}", good.lines().count() + 1)]);
    repo.remove("agent/mirrors.lock");
    repo.sync(&["--adopt", "--all"]).expect(0);
    assert_eq!(repo.text("agent/mirrors.lock"), good);
}

#[test]
fn a_lock_that_is_not_a_regular_file_is_reported() {
    for target in ["nowhere", "skills", "/etc/hostname"] {
        let repo = Repo::synced(&["alpha"]);
        repo.remove("agent/mirrors.lock");
        repo.link("agent/mirrors.lock", target);
        assert_unreadable(&repo, &["agent/mirrors.lock"]);
    }
}

#[test]
fn a_lock_with_a_merge_conflict_is_resolved_only_by_sync() {
    let repo = Repo::synced(&["alpha"]);
    let good = repo.text("agent/mirrors.lock");
    let (first, rest) = good.split_once('\n').unwrap();
    let conflict = format!("{first}\n<<<<<<< HEAD\n{rest}=======\n{rest}>>>>>>> other\n");
    repo.write("agent/mirrors.lock", &conflict);
    let says = ["agent/mirrors.lock:2: ", "mirror-lock", "merge conflict", "help: run `canonry sync`"];
    repo.check(&[]).expect(1).says(&says);
    repo.sync(&["--check"]).expect(1).says(&["agent/mirrors.lock"]);
    repo.sync(&["--dry-run"]).expect(0).says(&["1 file to write"]);
    assert_eq!(repo.text("agent/mirrors.lock"), conflict, "a read-only command writes nothing");
    repo.commit_all("in conflict");
    repo.check(&["--rev", "HEAD"]).expect(1).says(&says);
    repo.check(&["--staged"]).expect(1).says(&says);
    repo.sync(&[]).expect(0).says(&["agent/mirrors.lock", "git add"]);
    assert_eq!(repo.text("agent/mirrors.lock"), good);
    repo.check(&[]).expect(0);
}

#[test]
fn a_lock_with_incomplete_conflict_markers_is_reported() {
    let repo = Repo::synced(&["alpha"]);
    let good = repo.text("agent/mirrors.lock");
    let behind = good.lines().count() + 1;
    for (text, line) in [
        (format!("<<<<<<< HEAD\n{good}"), 1),
        (format!("{good}>>>>>>> other\n"), behind),
        (format!("{good}=======\n{good}>>>>>>> other\n"), behind),
    ] {
        repo.write("agent/mirrors.lock", text);
        assert_unreadable(&repo, &["agent/mirrors.lock", &format!("line {line}"), "conflict"]);
    }
    repo.write("agent/mirrors.lock", good);
    repo.sync(&[]).expect(0);
}

#[test]
fn a_lock_with_paths_outside_of_the_mirrors_is_harmless() {
    let repo = Repo::synced(&["alpha"]);
    repo.write("src/main.rs", "fn main() {}\n");
    let outside = repo.outside("elsewhere").join("file");
    std::fs::write(&outside, "x").unwrap();
    let id = repo.git(&["hash-object", "src/main.rs"]);
    let lock = repo.text("agent/mirrors.lock");
    let lines = ["src/main.rs", "../elsewhere/file", "agent/skills/alpha/SKILL.md", ".git/config"];
    let lines: String = lines.iter().map(|path| format!("{id} 100644 {path}\n")).collect();
    repo.write("agent/mirrors.lock", lock.clone() + &lines);
    repo.sync(&["--commit"]).expect(0);
    assert_eq!(repo.text("agent/mirrors.lock"), lock);
    assert!(repo.exists("src/main.rs") && outside.exists() && repo.exists("agent/skills/alpha/SKILL.md"));
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? src/");
}

#[test]
fn an_invalid_config_is_reported() {
    for (path, text, words) in [
        ("canonry.yaml", "targets: [vim]\n", "canonry.yaml:1:"),
        ("canonry.yaml", "a: b: c\n", "canonry.yaml:1:"),
        ("agent/canonry.yaml", "# fine\ntarget: [claude]\n", "agent/canonry.yaml:2:1"),
        ("canonry.local.yaml", "targets: [claude]\nrules: {no-such-rule: error}\n", "no-such-rule"),
        ("agent/canonry.yaml", "root: elsewhere\n", "agent/canonry.yaml"),
        ("canonry.yaml", "rules: [\n", "canonry.yaml:"),
    ] {
        let repo = Repo::synced(&["alpha"]);
        repo.write(path, text);
        assert_unreadable(&repo, &[words]);
    }
}

#[test]
fn a_binary_config_or_a_dangling_link_is_reported() {
    let repo = Repo::synced(&["alpha"]);
    repo.write("canonry.yaml", b"targets: [claude]\n# \xff\n");
    repo.canonry(&["sync"]).expect(65).says(&["canonry.yaml:2"]);
    let repo = Repo::synced(&["alpha"]);
    repo.link("canonry.yaml", "nowhere.yaml");
    repo.canonry(&["sync"]).expect(65).says(&["canonry.yaml", "nowhere.yaml"]);
}

#[test]
fn a_root_outside_of_the_repository_is_refused() {
    for root in ["../elsewhere", "/tmp", "agent/../../elsewhere", ".git"] {
        let repo = Repo::synced(&["alpha"]);
        let outside = repo.outside("elsewhere");
        std::fs::create_dir_all(outside.join("skills/stray")).unwrap();
        std::fs::write(outside.join("skills/stray/SKILL.md"), document("stray")).unwrap();
        repo.write("canonry.yaml", format!("root: {root}\n"));
        let before = repo.mirrors();
        for command in ["sync", "check"] {
            repo.canonry(&[command]).expect(65).says(&["root"]);
        }
        assert_eq!(repo.mirrors(), before, "{root}");
        assert!(!outside.join("mirrors.lock").exists());
    }
}

#[test]
fn a_root_that_is_a_mirror_or_the_top_is_refused() {
    for root in [".claude", "."] {
        let repo = Repo::synced(&["alpha"]);
        repo.write("canonry.yaml", format!("root: {root}\n"));
        let before = repo.mirrors();
        repo.sync(&[]);
        let skill = repo.tree_of(&[".claude/skills/alpha/SKILL.md"]);
        assert!(
            before.iter().all(|(path, held)| !path.starts_with(".claude/") || repo.mirrors().get(path) == Some(held))
        );
        assert_eq!(skill.len(), 1, "{root}");
    }
}

#[test]
fn the_user_config_applies_without_a_team_config() {
    let repo = Repo::with_skills(&["alpha"]);
    let own = repo.home().join(".config/canonry");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("canonry.yaml"), "targets: [codex]\n").unwrap();
    repo.sync(&[]).expect(0);
    assert!(repo.exists(".codex/skills/alpha/SKILL.md") && !repo.exists(".claude"));
    std::fs::write(own.join("canonry.yaml"), "targets: 7\n").unwrap();
    repo.sync(&[]).expect(65).says(&["config/canonry/canonry.yaml:1"]);
}
