//! Unreadable and malformed files of the canon.

use crate::support::repo::{MIRRORS, Repo, document};

/// Asserts that sync and check name the skill, exit with their status, and mirror the other skills.
fn assert_reported(repo: &Repo, words: &[&str]) {
    repo.sync(&[]).expect(1).says(words);
    repo.assert_mirrored(&["alpha"]);
    repo.check(&[]).expect(1).says(words);
}

#[test]
fn a_document_that_is_not_utf8_is_reported() {
    let repo = Repo::with_skills(&["alpha", "bad"]);
    repo.write("agent/skills/bad/SKILL.md", b"---\nname: bad\ndescription: Does \xff. Use when.\n---\n");
    assert_reported(&repo, &["agent/skills/bad"]);
    repo.check(&[]).says(&["agent/skills/bad/SKILL.md:3", "UTF-8"]);
}

#[test]
fn a_document_above_the_size_limit_is_reported() {
    let repo = Repo::with_skills(&["alpha", "bad"]);
    let file = std::fs::File::options().write(true).open(repo.path("agent/skills/bad/SKILL.md")).unwrap();
    file.set_len(8 << 20).unwrap();
    repo.targets(&["claude"]);
    repo.check(&[]).expect(1).says(&["agent/skills/bad/SKILL.md", "bytes"]);
    repo.sync(&[]).expect(1).says(&["agent/skills/bad"]);
    repo.assert_copied("alpha", ".claude/skills/alpha");
    assert!(!repo.exists(".claude/skills/bad"));
}

#[test]
fn documents_that_are_dangling_or_cyclic_links_are_reported() {
    for target in ["nowhere.md", "SKILL.md", "../bad/SKILL.md"] {
        let repo = Repo::with_skills(&["alpha", "bad"]);
        repo.remove("agent/skills/bad/SKILL.md");
        repo.link("agent/skills/bad/SKILL.md", target);
        assert_reported(&repo, &["agent/skills/bad"]);
        assert!(!repo.exists(".claude/skills/bad"));
    }
}

#[test]
fn cyclic_links_next_to_a_document_are_skipped() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.link("agent/skills/alpha/here", ".");
    repo.link("agent/skills/alpha/one", "two");
    repo.link("agent/skills/alpha/two", "one");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    repo.check(&[]);
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn a_file_name_with_a_newline_is_reported() {
    let repo = Repo::with_skills(&["alpha", "bad"]);
    repo.write("agent/skills/bad/a\nb.md", "x\n");
    assert_reported(&repo, &["agent/skills/bad/a\\nb.md"]);
    for mirror in MIRRORS {
        let names: Vec<_> =
            std::fs::read_dir(repo.path(&format!("{mirror}/bad"))).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(names.len() == 2 && names.iter().all(|name| name == "SKILL.md" || name == "scripts"), "{names:?}");
    }
}

#[test]
fn a_skill_folder_with_a_newline_is_reported() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/skills/ba\nd/SKILL.md", document("bad"));
    assert_reported(&repo, &["agent/skills/ba\\nd"]);
}

#[test]
fn a_document_with_invalid_yaml_is_reported() {
    let repo = Repo::with_skills(&["alpha", "bad"]);
    repo.write("agent/skills/bad/SKILL.md", "---\nname: bad\ndescription: [unclosed\n---\n");
    assert_reported(&repo, &["agent/skills/bad"]);
    repo.check(&[]).says(&["agent/skills/bad/SKILL.md:"]);
}

#[test]
fn exponential_yaml_anchors_are_reported() {
    let repo = Repo::with_skills(&["alpha", "bad"]);
    let mut text =
        String::from("---\nname: bad\ndescription: Does. Use when.\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(10);
        text.push_str(&format!("a{level}: &a{level} [{}]\n", before.trim_end_matches(", ")));
    }
    repo.write("agent/skills/bad/SKILL.md", text + "---\n");
    repo.check(&[]).expect(1).says(&["agent/skills/bad/SKILL.md"]);
    repo.sync(&[]);
    repo.assert_mirrored(&["alpha"]);
}

#[test]
fn two_skills_with_the_same_name_are_reported() {
    for (one, other) in [("bad", "cat/bad"), ("bad", "Bad")] {
        let repo = Repo::with_skills(&["alpha", one, other]);
        let both = [&format!("agent/skills/{one}")[..], &format!("agent/skills/{other}")];
        repo.sync(&[]).expect(5).says(&both);
        repo.assert_mirrored(&["alpha"]);
        repo.check(&[]).expect(1).says(&both);
    }
}

#[test]
fn a_pipe_named_like_a_document_does_not_block() {
    let repo = Repo::with_skills(&["alpha", "bad"]);
    repo.remove("agent/skills/bad/SKILL.md");
    assert!(repo.command("mkfifo").arg("agent/skills/bad/SKILL.md").status().unwrap().success());
    assert!(repo.command("mkfifo").arg("agent/skills/alpha/pipe").status().unwrap().success());
    repo.sync(&[]);
    for mirror in MIRRORS {
        assert_eq!(repo.text(&format!("{mirror}/alpha/SKILL.md")), document("alpha"));
        assert!(!repo.exists(&format!("{mirror}/bad")) && !repo.exists(&format!("{mirror}/alpha/pipe")));
    }
    repo.check(&["agent/skills/bad/SKILL.md"]).expect(1).says(&["agent/skills/bad/SKILL.md"]);
    repo.check(&[]);
}

#[test]
fn a_pipe_instead_of_a_config_or_lock_does_not_block() {
    for path in ["canonry.yaml", "canonry.local.yaml", "agent/canonry.yaml", "agent/mirrors.lock"] {
        let repo = Repo::with_skills(&["alpha"]);
        assert!(repo.command("mkfifo").arg(path).status().unwrap().success());
        // The timeout kills a run that waits for the pipe.
        let run = |command: &str| {
            let mut timeout = repo.command("timeout");
            timeout.args(["20"]).arg(crate::support::repo::binary()).arg(command);
            timeout.output().unwrap().status.code()
        };
        assert!(run("check") != Some(124) && run("sync") != Some(124), "{path}");
    }
}

#[test]
fn a_skill_that_is_a_dangling_link_is_reported() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.link("agent/skills/bad", "nowhere");
    assert_reported(&repo, &["agent/skills/bad", "nowhere"]);
    assert!(!repo.exists(".claude/skills/bad"));
    repo.sync(&["--check"]).expect(1).says(&["agent/skills/bad", "nowhere"]);
    repo.commit_all("all");
    repo.check(&["--rev", "HEAD"]).expect(1).says(&["file-unreadable", "nowhere"]);
    repo.check(&["agent/skills"]).expect(1).says(&["file-unreadable", "nowhere"]);
}

#[test]
fn skills_that_are_cyclic_links_are_reported_and_indirect_links_work() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("shared/gamma/SKILL.md", document("gamma"));
    repo.link("common", "shared");
    repo.link("agent/skills/gamma", "../../common/gamma");
    repo.sync(&[]).expect(0);
    repo.commit_all("all");
    for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(args).expect(0).says_nothing_of(&["file-unreadable"]);
    }
    repo.link("agent/skills/one", "two");
    repo.link("agent/skills/two", "one");
    repo.link("agent/skills/out", "one/../../../../../elsewhere");
    assert_reported(&repo, &["agent/skills/one", "agent/skills/two", "agent/skills/out", "outside the repository"]);
}

#[test]
fn the_mirror_of_a_linked_skill_stays_if_the_link_breaks() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("shared/gamma/SKILL.md", document("gamma"));
    repo.link("agent/skills/gamma", "../../shared/gamma");
    repo.sync(&[]).expect(0);
    repo.remove("shared/gamma");
    let before = repo.mirrors();
    repo.sync(&[]).expect(1).says(&["agent/skills/gamma"]);
    assert_eq!(repo.mirrors(), before);
    repo.remove("agent/skills/gamma");
    repo.sync(&[]).expect(0);
    assert!(!repo.exists(".claude/skills/gamma"));
}

#[test]
fn a_pipe_instead_of_a_document_is_reported() {
    let repo = Repo::with_skills(&["alpha", "bad"]);
    repo.remove("agent/skills/bad/SKILL.md");
    assert!(repo.command("mkfifo").arg("agent/skills/bad/SKILL.md").status().unwrap().success());
    assert_reported(&repo, &["agent/skills/bad/SKILL.md"]);
}

#[test]
fn a_pipe_or_a_socket_in_a_skill_is_reported_and_its_mirror_stays() {
    let repo = Repo::synced(&["alpha", "beta"]);
    for path in ["agent/skills/beta/SKILL.md", "agent/skills/beta/scripts/run.sh"] {
        repo.remove(path);
        assert!(repo.command("mkfifo").arg(path).status().unwrap().success());
    }
    let _socket = std::os::unix::net::UnixListener::bind(repo.path("agent/skills/alpha/socket")).unwrap();
    let before = repo.mirrors();
    let words = ["agent/skills/alpha/socket", "agent/skills/beta/SKILL.md", "agent/skills/beta/scripts/run.sh"];
    for args in [&[][..], &["--force"]] {
        repo.sync(args).expect(1).says(&words);
        assert_eq!(repo.mirrors(), before);
    }
    repo.sync(&["--check"]).expect(1).says(&words);
    repo.check(&[]).expect(1).says(&words).says(&["file-unreadable", "git does not store it"]);
    repo.write(".gitignore", "socket\n");
    repo.sync(&[]).expect(1).says_nothing_of(&["agent/skills/alpha/socket"]);
}

#[test]
fn a_pipe_in_a_mirror_neither_blocks_nor_is_replaced() {
    let repo = Repo::synced(&["alpha"]);
    let path = ".claude/skills/alpha/SKILL.md";
    repo.remove(path);
    assert!(repo.command("mkfifo").arg(path).status().unwrap().success());
    for args in [&[][..], &["--force"]] {
        repo.sync(args).expect(5).says(&[path]);
        assert!(!repo.path(path).metadata().unwrap().is_file());
    }
}
