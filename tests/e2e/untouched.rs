//! Skills that no commit has changed for a long time, with real git histories.

use crate::support::repo::{GOOD, Repo};
use serde_json::Value;

/// Commits everything with a date this many days ago.
fn commit(repo: &Repo, days_ago: i64, message: &str) {
    let time = jiff::Timestamp::now().as_second() - days_ago * 86_400;
    repo.git(&["add", "-A"]);
    let output = repo
        .command("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-qm", message])
        .env("GIT_AUTHOR_DATE", format!("{time} +0000"))
        .env("GIT_COMMITTER_DATE", format!("{time} +0000"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn skill(repo: &Repo, name: &str, body: &str) {
    repo.write(&format!("agent/skills/{name}/SKILL.md"), format!("{}{body}", GOOD.replace("release-notes", name)));
    repo.write(&format!("agent/skills/{name}/references/format.md"), "# Format\n");
}

/// The reported paths, in the work tree or in a commit.
fn untouched(repo: &Repo, args: &[&str]) -> Vec<String> {
    let text = repo.canonry(&[&["check", "--format", "json"], args].concat()).stdout;
    let found: Value = serde_json::from_str(&text).unwrap();
    let of_rule = |f: &&Value| f["rule"] == "skill-untouched";
    let findings = found["findings"].as_array().unwrap().iter().filter(of_rule);
    findings.map(|f| f["path"].as_str().unwrap().to_owned()).collect()
}

fn repo() -> Repo {
    let repo = Repo::empty();
    repo.write("agent/canonry.yaml", "rules: {skill-untouched: info}\n");
    repo
}

#[test]
fn skills_unchanged_for_a_long_time_are_reported() {
    let repo = repo();
    skill(&repo, "old", "");
    skill(&repo, "kept", "");
    commit(&repo, 100, "Both");
    skill(&repo, "kept", "More.\n");
    skill(&repo, "new", "");
    commit(&repo, 59, "One changes, one comes");
    let old = ["agent/skills/old/SKILL.md"];
    assert_eq!(untouched(&repo, &[]), old);
    assert_eq!(untouched(&repo, &["--rev", "HEAD"]), old);
    assert_eq!(untouched(&repo, &["--rev", "HEAD~1"]), ["agent/skills/kept/SKILL.md", old[0]]);
}

#[test]
fn paths_of_a_nested_canon_are_relative_to_the_repository() {
    let repo = repo();
    repo.write("canonry.yaml", "canons: [packages/a]\n");
    repo.write("packages/a/canonry.yaml", "rules: {skill-untouched: info}\n");
    let skill = |name: &str, body: &str| {
        repo.write(
            &format!("packages/a/agent/skills/{name}/SKILL.md"),
            format!("{}{body}", GOOD.replace("release-notes", name)),
        );
        repo.write(&format!("packages/a/agent/skills/{name}/references/format.md"), "# Format\n");
    };
    skill("old", "");
    skill("kept", "");
    commit(&repo, 100, "Both");
    skill("kept", "More.\n");
    commit(&repo, 10, "One changes");
    assert_eq!(untouched(&repo, &[]), ["packages/a/agent/skills/old/SKILL.md"]);
    assert_eq!(untouched(&repo, &["--rev", "HEAD"]), ["packages/a/agent/skills/old/SKILL.md"]);
}

#[test]
fn a_young_history_has_no_findings() {
    let repo = repo();
    skill(&repo, "new", "");
    assert_eq!(untouched(&repo, &[]), [""; 0], "no commit yet");
    commit(&repo, 10, "The first");
    assert_eq!(untouched(&repo, &[]), [""; 0]);
}
