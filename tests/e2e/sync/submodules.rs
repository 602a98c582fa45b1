//! Submodules belong to another repository: nothing is written into one, and none of their files is mirrored.

use crate::support::repo::{Repo, document};

/// A repository that can serve as a submodule.
fn inner() -> Repo {
    let inner = Repo::empty();
    inner.write("notes.md", "inner\n");
    inner.commit_all("inner");
    inner
}

fn add(repo: &Repo, inner: &Repo, path: &str) {
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.root.to_str().unwrap(), path]);
}

#[test]
fn a_mirror_that_is_a_submodule_is_refused_in_all_views() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["claude", "codex"]);
    let inner = inner();
    add(&repo, &inner, ".claude/skills");
    repo.commit_all("submodule");
    let reason = ".claude/skills: it is in the submodule or repository `.claude/skills`";
    for args in [&[][..], &["--force"], &["--staged"]] {
        repo.sync(args).expect(5).says(&[reason]).says_nothing_of(&["--force", "--adopt"]);
    }
    assert!(!repo.exists(".claude/skills/alpha"));
    repo.assert_copied("alpha", ".codex/skills/alpha");
    repo.commit_all("synced");
    repo.sync(&["--check"]).expect(1).says(&[reason]);
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(1).says(&["mirror-occupied", "submodule"]);
    }
}

#[test]
fn a_submodule_inside_a_skill_is_refused_in_all_views() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["claude"]);
    let inner = inner();
    add(&repo, &inner, "agent/skills/alpha/vendor");
    repo.commit_all("submodule");
    let reason = "agent/skills/alpha/vendor: it is a submodule";
    repo.sync(&["--commit"]).expect(1).says(&[reason]);
    assert!(!repo.exists(".claude/skills/alpha/vendor"));
    assert_eq!(repo.text(".claude/skills/alpha/SKILL.md"), document("alpha"));
    repo.sync(&["--check"]).expect(1).says(&[reason]);
    repo.sync(&["--check", "--staged"]).expect(1).says(&[reason]);
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(1).says(&["mirror-skipped", "submodule"]);
    }
}

/// A collection that a person cloned into a mirror, with its own `.git`.
#[test]
fn nothing_is_written_into_a_clone_in_a_mirror_or_deleted_from_it() {
    let repo = Repo::with_skills(&["alpha", "kept"]);
    repo.targets(&["claude", "codex"]);
    repo.write(".mcp.json", "{}\n");
    let inner = Repo::empty();
    inner.write("SKILL.md", document("alpha"));
    inner.write("beta/SKILL.md", document("beta"));
    inner.commit_all("collection");
    repo.git(&["clone", "-q", inner.root.to_str().unwrap(), ".claude/skills/alpha"]);
    let before = repo.tree_of(&[".claude/skills/alpha"]);
    for args in [&[][..], &["--force"], &["--adopt", ".claude/skills/alpha"], &["--adopt"]] {
        repo.sync(args);
        assert_eq!(repo.tree_of(&[".claude/skills/alpha"]), before, "{args:?}");
    }
    repo.remove("agent/skills/alpha");
    repo.sync(&[]);
    repo.canonry(&["init", "--all"]);
    repo.sync(&[]);
    assert_eq!(repo.tree_of(&[".claude/skills/alpha"]), before);
    assert!(repo.exists(".claude/skills/kept/SKILL.md"));
}
