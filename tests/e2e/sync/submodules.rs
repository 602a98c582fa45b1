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
    let reason = ".claude/skills: it is in the submodule `.claude/skills`";
    for args in [&[][..], &["--force"], &["--staged"]] {
        repo.sync(args).expect(5).says(&[reason]).says_nothing_of(&["--force", "--adopt"]);
    }
    assert!(!repo.exists(".claude/skills/alpha"));
    repo.assert_copied("alpha", ".codex/skills/alpha");
    repo.commit_all("synced");
    repo.sync(&["--check"]).expect(1).says(&[reason]);
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(1).says(&["mirror-root", "submodule"]);
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
