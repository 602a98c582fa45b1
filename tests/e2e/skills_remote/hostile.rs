//! Sources and locks that try to do harm.

use super::source::{Source, add, canon, skills};
use crate::support::repo::document;

#[test]
fn hidden_text_blocks_a_skill_and_a_comment_does_not_allow_it() {
    let source = Source::new(&["pdf"]);
    let repo = canon();
    let hidden = "<!-- canonry: allow-file hidden-unicode, hidden-comment it is fine -->\n";
    let text =
        document("pdf").replace("# pdf\n", &format!("{hidden}# pdf\n\nHello\u{e0041}\u{e0042}\u{202e} world.\n"));
    source.work.write("skills/pdf/SKILL.md", text);
    source.publish();
    let before = repo.tree();
    let ran = skills(&repo, &["add", &source.url(), "--yes"]).expect(5);
    ran.says(&["error[hidden-unicode]", "refused   pdf: security rule `hidden-unicode`"])
        .says_nothing_of(&["\u{202e}"]);
    assert_eq!(repo.tree(), before);
    skills(&repo, &["add", &source.url(), "--yes", "--allow", "no-such"]).expect(64);
    add(&repo, &source, &["--allow", "hidden-unicode"]);
    // An update is blocked only by what is new.
    source.work.write("skills/pdf/notes.md", "fine\n");
    source.publish();
    skills(&repo, &["update", "--yes"]).expect(0).says(&["updated   pdf"]);
    source.work.write("skills/pdf/notes.md", "not\u{202e} fine\n");
    source.publish();
    let before = repo.tree();
    let refused = skills(&repo, &["update", "--yes"]).expect(5);
    refused.says(&["security rule `hidden-unicode`", "+not<U+202E> fine"]).says_nothing_of(&["\u{202e}"]);
    assert_eq!(repo.tree(), before);
}

#[test]
fn files_that_lead_elsewhere_block_a_skill() {
    for (name, make) in [
        ("absolute", (|source: &Source| source.work.link("skills/pdf/x", "/etc/passwd")) as fn(&Source)),
        ("above", |source| source.work.link("skills/pdf/x", "../../LICENSE")),
        ("through", |source| {
            source.work.link("skills/pdf/deep/up", "..");
            source.work.link("skills/pdf/x", "deep/up/../own/SKILL.md");
        }),
        ("case", |source| {
            source.work.write("skills/pdf/a.md", "1\n");
            source.work.write("skills/pdf/A.md", "2\n");
        }),
        ("submodule", |source| {
            let id = source.work.git(&["rev-parse", "HEAD"]);
            source.work.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},skills/pdf/sub")]);
            source.work.git(&["commit", "-qm", "submodule"]);
        }),
        ("lfs", |source| {
            source.work.write("skills/pdf/x.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n")
        }),
    ] {
        let source = Source::new(&["pdf"]);
        let repo = canon();
        make(&source);
        if name == "submodule" {
            source.push()
        } else {
            source.publish()
        };
        let before = repo.tree();
        let ran = skills(&repo, &["add", &source.url(), "--yes"]).expect(5);
        ran.says(&["refused   pdf"]).says_nothing_of(&["root:"]);
        assert_eq!(repo.tree(), before, "{name}");
    }
    // Links inside the skill are fine.
    let source = Source::new(&["pdf"]);
    let repo = canon();
    source.work.link("skills/pdf/docs/skill.md", "../SKILL.md");
    source.publish();
    add(&repo, &source, &[]);
    assert_eq!(std::fs::read_link(repo.path("agent/skills/pdf/docs/skill.md")).unwrap().to_str(), Some("../SKILL.md"));
}

#[test]
fn a_tree_with_a_git_folder_is_refused() {
    let source = Source::new(&["pdf"]);
    let repo = canon();
    let blob = source.work.git(&["hash-object", "-w", "skills/pdf/SKILL.md"]);
    let listing = |rows: &[String]| {
        let file = source.work.home().join("listing");
        std::fs::write(&file, rows.concat()).unwrap();
        let mut command = source.work.command("git");
        command.args(["mktree"]).stdin(std::fs::File::open(&file).unwrap());
        String::from_utf8(command.output().unwrap().stdout).unwrap().trim().to_owned()
    };
    let git = listing(&[format!("100644 blob {blob}\tconfig\n")]);
    let skill = listing(&[format!("100644 blob {blob}\tSKILL.md\n"), format!("040000 tree {git}\t.git\n")]);
    let all = listing(&[format!("040000 tree {skill}\tpdf\n")]);
    let commit = source.work.git(&["commit-tree", "-m", "bad", &all]);
    source.work.git(&["push", "-q", "--force", source.path().to_str().unwrap(), &format!("{commit}:refs/heads/main")]);
    skills(&repo, &["add", &source.url(), "--yes"]).expect(5).says(&["its path is not allowed"]);
    assert!(!repo.exists("agent/skills/pdf"));
}

#[test]
fn addresses_are_data() {
    let repo = canon();
    let marker = repo.outside("marker").join("ran");
    let touch = format!("touch {}", marker.display());
    for source in [
        format!("--upload-pack={touch}"),
        format!("ext::sh -c {}", touch.replace(' ', "% ")),
        format!("ssh://-oProxyCommand={}/x", touch.replace(' ', "%20")),
        format!("-oProxyCommand={touch}:x"),
        "git://127.0.0.1/x".to_owned(),
        "https://user:hunter2@127.0.0.1/x".to_owned(),
        "http://example.invalid/x".to_owned(),
    ] {
        let ran = skills(&repo, &["add", "--yes", "--", &source]).expect(64);
        assert!(!ran.all().contains("hunter2"), "{}", ran.all());
    }
    skills(&repo, &["add", "--yes", "o/r", "--ref", "--upload-pack=x"]).expect(64);
    // The same in a lock that somebody committed.
    let id = "f5322efcada81fd92d14e4857d02c1e7e8094dd3";
    for (name, url) in [("pdf", "ext::sh -c x"), ("../pdf", "https://example.invalid/x"), ("pdf", "--upload-pack=x")] {
        let pin = format!(r#"{{"url": "{url}", "commit": "{id}", "content": "{id}"}}"#);
        repo.write(
            "agent/skills.lock",
            format!(r#"{{"schema": "canonry/skills-lock/v1", "skills": {{"{name}": {pin}}}}}"#),
        );
        for command in [&["install"][..], &["outdated"], &["update", "--yes"], &["list", "--remote"]] {
            skills(&repo, command).expect(65).says(&["agent/skills.lock"]);
        }
    }
    assert!(!marker.exists());
}

#[test]
fn a_lock_with_other_content_installs_nothing() {
    let source = Source::new(&["pdf"]);
    let repo = canon();
    add(&repo, &source, &[]);
    let tree = source.work.git(&["rev-parse", "HEAD:skills/pdf"]);
    repo.write("agent/skills.lock", repo.text("agent/skills.lock").replace(&tree, &"0".repeat(40)));
    repo.remove("agent/skills/pdf");
    skills(&repo, &["install"]).expect(5).says(&["has other content than the lock says"]);
    assert!(!repo.exists("agent/skills/pdf"));
}

#[test]
fn a_linked_skill_folder_is_not_followed() {
    let source = Source::new(&["pdf"]);
    let repo = canon();
    let outside = repo.outside("elsewhere");
    repo.link("agent/skills/pdf", &outside);
    skills(&repo, &["add", &source.url(), "--yes"]).expect(65).says(&["symbolic link"]);
    assert_eq!(std::fs::read_dir(outside).unwrap().count(), 0);
}
