//! Links that leave the repository, and mirrors that are links.

use crate::support::repo::{Held, MIRRORS, Repo, document};
use std::path::Path;

/// Case: a link in a skill points outside the repository.
#[test]
fn a_link_out_of_the_repository_is_skipped() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    let secret = repo.outside("elsewhere").join("secret");
    std::fs::write(&secret, "SECRET").unwrap();
    repo.link("agent/skills/alpha/absolute.md", &secret);
    repo.link("agent/skills/alpha/climbing.md", "../../../../elsewhere/secret");
    repo.link("agent/skills/alpha/folder", repo.outside("elsewhere"));
    repo.sync(&[]).expect(1).says(&[
        "agent/skills/alpha/absolute.md",
        "agent/skills/alpha/climbing.md",
        "agent/skills/alpha/folder",
        "outside the repository",
    ]);
    repo.assert_mirrored(&["beta"]);
    for mirror in MIRRORS {
        assert_eq!(repo.text(&format!("{mirror}/alpha/SKILL.md")), document("alpha"));
        for name in ["absolute.md", "climbing.md", "folder"] {
            assert!(!repo.exists(&format!("{mirror}/alpha/{name}")), "{mirror}/{name}");
        }
    }
}

#[test]
fn a_skill_document_that_links_out_of_the_repository_is_not_copied() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    let foreign = repo.outside("elsewhere").join("SKILL.md");
    std::fs::write(&foreign, document("alpha")).unwrap();
    repo.remove("agent/skills/alpha/SKILL.md");
    repo.link("agent/skills/alpha/SKILL.md", &foreign);
    repo.sync(&[]).expect(1).says(&["agent/skills/alpha"]);
    assert!(!repo.exists(".claude/skills/alpha"));
    repo.assert_mirrored(&["beta"]);
}

#[test]
fn a_canon_that_links_out_of_the_repository_is_not_followed() {
    for link in ["agent", "agent/skills"] {
        let repo = Repo::synced(&["alpha"]);
        let outside = repo.outside("elsewhere");
        std::fs::write(outside.join("marker"), "").unwrap();
        let moved = outside.join("moved");
        std::fs::rename(repo.path(link), &moved).unwrap();
        repo.link(link, &moved);
        let lock = std::fs::read(repo.path("agent/mirrors.lock")).unwrap();
        let before = repo.mirrors();
        repo.sync(&[]).expect(65).says(&[link]);
        repo.check(&[]).expect(65).says(&[link]);
        assert_eq!(repo.mirrors(), before, "{link}: nothing is removed or copied");
        assert_eq!(std::fs::read(repo.path("agent/mirrors.lock")).unwrap(), lock);
    }
}

#[test]
fn a_skill_that_is_a_link_has_the_same_destination_in_the_mirror() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("shared/gamma/SKILL.md", document("gamma"));
    repo.link("agent/skills/gamma", "../../shared/gamma");
    repo.write("shared/note.md", "note\n");
    repo.link("agent/skills/alpha/note.md", "../../../shared/note.md");
    repo.link("agent/skills/alpha/inside", "scripts");
    repo.sync(&[]).expect(0);
    for mirror in MIRRORS {
        assert_eq!(repo.text(&format!("{mirror}/gamma/SKILL.md")), document("gamma"));
        assert_eq!(repo.text(&format!("{mirror}/alpha/note.md")), "note\n");
        let inside = repo.tree_of(&[&format!("{mirror}/alpha/inside")]).into_values().next();
        assert_eq!(inside, Some(Held::Link("scripts".into())));
    }
    repo.sync(&["--check"]).expect(0);
}

/// Case: a mirror root, or AGENTS.md, is a link to outside.
#[test]
fn a_mirror_that_links_outside_is_refused_before_any_write() {
    for (link, root) in [(".claude/skills", ""), (".claude", "/skills")] {
        let repo = Repo::with_skills(&["alpha"]);
        let outside = repo.outside("elsewhere");
        std::fs::create_dir_all(format!("{}{root}", outside.display())).unwrap();
        repo.link(link, &outside);
        for args in [&[][..], &["--force"]] {
            repo.sync(args).expect(5).says(&[".claude/skills", "is a link to"]);
            assert!(holds_no_file(&outside), "{link}");
        }
        repo.assert_copied("alpha", ".codex/skills/alpha");
        repo.check(&[]).expect(1).says(&["mirror-occupied"]);
        // Files that sync wrote before the folder became a link are not touched through it either.
        repo.remove("agent/skills/alpha");
        repo.sync(&[]);
        assert!(!repo.exists(".codex/skills/alpha") && holds_no_file(&outside));
    }
}

fn holds_no_file(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().all(|entry| {
        let path = entry.unwrap().path();
        path.is_dir() && holds_no_file(&path)
    })
}

#[test]
fn sync_does_not_write_through_a_mirrored_folder_that_became_a_link_outside() {
    let repo = Repo::synced(&["alpha", "beta"]);
    let outside = repo.outside("elsewhere");
    repo.remove(".claude/skills/alpha");
    repo.link(".claude/skills/alpha", &outside);
    repo.remove(".codex/skills/alpha/scripts");
    repo.link(".codex/skills/alpha/scripts", &outside);
    repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
    for args in [&[][..], &["--force"]] {
        repo.sync(args)
            .expect(5)
            .says(&["the file .claude/skills/alpha stands where", "the file .codex/skills/alpha/scripts stands"]);
        assert!(holds_no_file(&outside));
    }
    repo.assert_mirrored(&["beta"]);
    repo.remove("agent/skills/alpha");
    repo.sync(&[]).expect(0);
    assert!(repo.exists(".claude/skills/alpha") && repo.exists(".codex/skills/alpha/scripts"));
}

/// Case: a mirror folder is a link into the canon.
#[test]
fn a_mirror_that_links_into_the_canon_is_recognised() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.link(".claude/skills", "../agent/skills");
    repo.link(".codex/skills/alpha", "../../agent/skills/alpha");
    repo.git(&["add", "-A"]);
    let canon = repo.tree_of(&["agent/skills"]);
    for _ in 0..2 {
        repo.sync(&[]).expect(0);
        assert_eq!(repo.tree_of(&["agent/skills"]), canon);
        assert_eq!(repo.path(".claude/skills").read_link().unwrap(), Path::new("../agent/skills"));
        assert_eq!(repo.path(".codex/skills/alpha").read_link().unwrap(), Path::new("../../agent/skills/alpha"));
    }
    repo.assert_copied("alpha", ".gemini/skills/alpha");
    repo.remove("agent/skills/alpha/scripts");
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.sync(&[]).expect(0);
    repo.assert_copied("alpha", ".gemini/skills/alpha");
    assert_eq!(repo.text("agent/skills/alpha/SKILL.md"), document("alpha") + "news\n");
}

#[test]
fn a_mirror_that_links_elsewhere_in_the_repository_is_refused() {
    for target in ["../agent", "..", "../docs"] {
        let repo = Repo::with_skills(&["alpha"]);
        std::fs::create_dir(repo.path("docs")).unwrap();
        repo.link(".claude/skills", target);
        repo.sync(&[]).expect(5).says(&[".claude/skills", "is a link to"]);
        assert!(holds_no_file(&repo.path("docs")));
        repo.assert_copied("alpha", ".codex/skills/alpha");
    }
}

/// Case: two targets share a folder.
#[test]
fn targets_that_share_a_folder_do_not_delete_each_others_files() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.link(".codex/skills", "../.claude/skills");
    repo.link(".gemini", ".claude");
    repo.write(".claude/skills/mine/SKILL.md", document("mine"));
    for _ in 0..2 {
        repo.sync(&[]).expect(0);
        repo.assert_mirrored(&["alpha", "beta"]);
        assert_eq!(repo.text(".codex/skills/mine/SKILL.md"), document("mine"));
    }
    repo.check(&[]).expect(0);
    repo.commit_all("synced");
    repo.check(&["--rev", "HEAD"]).expect(0);
    repo.check(&["--staged"]).expect(0);
    repo.remove("agent/skills/beta");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    assert!(!repo.exists(".claude/skills/beta"));
    // One of them is no longer a target: the files of the other one stay.
    repo.targets(&["claude", "gemini"]);
    repo.sync(&[]).expect(0);
    repo.assert_copied("alpha", ".claude/skills/alpha");
    repo.assert_copied("alpha", ".codex/skills/alpha");
}

#[test]
fn two_mirrors_merged_by_a_link_stay_in_step() {
    let repo = Repo::synced(&["alpha"]);
    repo.remove(".codex/skills");
    repo.link(".codex/skills", "../.claude/skills");
    for _ in 0..2 {
        repo.sync(&[]).expect(0);
        repo.assert_mirrored(&["alpha"]);
    }
    assert!(!repo.text("agent/mirrors.lock").contains(".codex"));
}

#[test]
fn a_mirror_that_links_to_a_folder_of_a_disabled_target_is_refused() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["agents"]);
    repo.link(".agents/skills", "../.claude/skills");
    repo.sync(&[]).expect(5).says(&[".agents/skills"]);
    assert!(!repo.exists(".claude"));
}

#[test]
fn mirrors_that_link_to_each_other_are_refused() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.link(".claude/skills", "../.codex/skills");
    repo.link(".codex/skills", "../.claude/skills");
    repo.sync(&[]).expect(5).says(&[".claude/skills", ".codex/skills"]);
    repo.assert_copied("alpha", ".gemini/skills/alpha");
}

/// Links in place of a mirror's file, of a folder in it, and of a mirror that has no skill any more.
#[test]
fn nothing_behind_a_link_out_of_a_mirror_is_written_followed_or_deleted() {
    for args in [&[][..], &["--force"], &["--commit"], &["--adopt", ".claude/skills/alpha"], &["--adopt", "--all"]] {
        let repo = Repo::with_skills(&["alpha", "beta", "gamma"]);
        repo.targets(&["claude"]);
        repo.sync(&[]).expect(0);
        repo.commit_all("synced");
        let outside = repo.outside("elsewhere");
        let of_synced = |skill: &str| repo.read(&format!("agent/skills/{skill}/SKILL.md"));
        for (file, bytes) in [
            ("file.md", b"SECRET\n".to_vec()),
            ("run.sh", b"SECRET\n".to_vec()),
            ("beta/SKILL.md", b"SECRET\n".to_vec()),
            // What sync wrote, so that the lock seems to own it.
            ("gamma/SKILL.md", of_synced("gamma")),
        ] {
            let path = outside.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let relink = |path: &str, to: &str| {
            repo.remove(path);
            repo.link(path, outside.join(to));
        };
        relink(".claude/skills/alpha/SKILL.md", "file.md");
        relink(".claude/skills/alpha/scripts", "");
        relink(".claude/skills/beta", "beta");
        relink(".claude/skills/gamma", "gamma");
        repo.remove("agent/skills/gamma");
        repo.append("agent/skills/beta/SKILL.md", "news\n");
        let before = files_below(&outside);
        for _ in 0..2 {
            let ran = repo.sync(args);
            assert!([0, 1, 5].contains(&ran.status), "{args:?}: {}", ran.all());
            assert_eq!(files_below(&outside), before, "{args:?}: {}", ran.all());
            let kept = repo.tree_of(&["agent", ".git/canonry"]);
            assert!(kept.values().all(|held| !holds_secret(held)), "{args:?}: followed, {}", ran.all());
        }
    }
}

fn holds_secret(held: &Held) -> bool {
    matches!(held, Held::File { bytes, .. } if bytes.windows(6).any(|window| window == b"SECRET"))
}

fn files_below(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}
