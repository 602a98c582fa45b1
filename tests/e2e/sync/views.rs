//! Stale, edited, foreign and orphaned files are distinguished in every view: by the lock, not by history.

use crate::support::repo::{Ran, Repo, document};
use std::path::Path;

/// One file in each state, not committed.
fn one_of_each() -> Repo {
    let repo = Repo::with_skills(&["stale", "edited", "orphan", "gone"]);
    repo.targets(&["claude"]);
    repo.sync(&["--commit"]).expect(0);
    repo.write("agent/skills/stale/SKILL.md", document("stale") + "news\n");
    repo.write(".claude/skills/edited/SKILL.md", document("edited") + "by hand\n");
    repo.write(".claude/skills/foreign/SKILL.md", document("foreign"));
    repo.remove("agent/skills/orphan/scripts");
    repo.remove(".claude/skills/gone/scripts");
    repo
}

#[track_caller]
fn assert_distinguished(ran: Ran) {
    let ran = ran.expect(1);
    for (rule, path) in [
        ("mirror-stale", ".claude/skills/stale/SKILL.md"),
        ("mirror-edited", ".claude/skills/edited/SKILL.md"),
        ("mirror-unowned", ".claude/skills/foreign/SKILL.md"),
        ("mirror-orphan", ".claude/skills/orphan/scripts/run.sh"),
        ("mirror-missing", ".claude/skills/gone/scripts/run.sh"),
    ] {
        let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let findings = document["findings"].as_array().unwrap();
        let of_rule: Vec<&serde_json::Value> = findings.iter().filter(|finding| finding["rule"] == rule).collect();
        assert!(of_rule.iter().any(|finding| finding["path"] == path), "{rule}: {of_rule:#?}\n{}", ran.stderr);
        assert!(of_rule.len() == 1, "{rule}: {of_rule:#?}");
    }
}

fn shallow(origin: &Repo) -> Repo {
    let clone = Repo::empty();
    clone.remove("");
    let from = format!("file://{}", origin.root.display());
    let args = ["clone", "-q", "--depth", "1", &from, clone.root.to_str().unwrap()];
    let output = clone.command("git").current_dir(clone.home()).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(clone.git(&["rev-list", "--count", "HEAD"]), "1");
    assert!(Path::new(&clone.path(".git/shallow")).exists());
    clone
}

const JSON: [&str; 2] = ["--format", "json"];

#[test]
fn states_are_distinguished_in_the_work_tree() {
    assert_distinguished(one_of_each().check(&JSON));
}

#[test]
fn states_are_distinguished_in_the_index_independent_of_the_work_tree() {
    let repo = one_of_each();
    repo.git(&["add", "-A"]);
    // The work tree is unchanged and must not matter.
    repo.git(&["worktree", "add", "-q", "../elsewhere", "HEAD"]);
    for folder in ["agent", ".claude"] {
        repo.remove(folder);
        repo.command("cp").arg("-a").arg(format!("../elsewhere/{folder}")).arg(".").status().unwrap();
    }
    repo.check(&[]).expect(0);
    assert_distinguished(repo.check(&[&JSON[..], &["--staged"]].concat()));
    repo.git(&["read-tree", "HEAD"]);
    repo.check(&["--staged"]).expect(0);
}

/// Case: check in CI.
#[test]
fn states_are_distinguished_in_a_commit_and_in_a_shallow_clone() {
    let origin = one_of_each();
    origin.commit_all("one of each");
    assert_distinguished(origin.check(&[&JSON[..], &["--rev", "HEAD"]].concat()));
    let clone = shallow(&origin);
    assert_distinguished(clone.check(&JSON));
    assert_distinguished(clone.check(&[&JSON[..], &["--rev", "HEAD"]].concat()));
    assert_distinguished(clone.check(&[&JSON[..], &["--staged"]].concat()));
    // A run in the shallow clone has the same result.
    clone.sync(&[]).expect(5).says(&[".claude/skills/edited/SKILL.md"]);
    clone.assert_copied("stale", ".claude/skills/stale");
    assert!(clone.exists(".claude/skills/foreign/SKILL.md") && !clone.exists(".claude/skills/orphan/scripts"));
    // The merge base is in the commit's tree, so the merge needs no history.
    clone.write("agent/skills/edited/SKILL.md", document("edited").replace("Does edited.", "Does more."));
    clone.sync(&["--adopt", ".claude/skills/edited"]).expect(0);
    let merged = document("edited").replace("Does edited.", "Does more.") + "by hand\n";
    assert_eq!(clone.text("agent/skills/edited/SKILL.md"), merged);
}

#[test]
fn a_shallow_clone_has_no_drift_and_can_sync() {
    let origin = Repo::synced(&["alpha", "beta"]);
    origin.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    origin.sync(&["--commit"]).expect(0);
    let clone = shallow(&origin);
    clone.check(&[]).expect(0);
    clone.check(&["--rev", "HEAD"]).expect(0);
    clone.sync(&["--check"]).expect(0).says(&["Up to date"]);
    clone.remove("agent/skills/beta");
    clone.sync(&[]).expect(0);
    assert!(!clone.exists(".claude/skills/beta"));
    clone.assert_mirrored(&["alpha"]);
}
