//! Skills that the config restricts to some tools.

use crate::support::repo::{Repo, document};

const GATED: &str = "targets: [claude, gemini, codex]\nskills: {alpha: {targets: [claude]}, beta: {targets: []}}\n";

#[test]
fn a_restricted_skill_is_mirrored_to_its_tools_and_sync_names_the_others() {
    let repo = Repo::with_skills(&["alpha", "cat/beta", "gamma"]);
    repo.write("agent/canonry.yaml", GATED);
    let said = [
        "left out  alpha: not for gemini, codex, as `skills` in the config says",
        "left out  beta: not for claude, gemini, codex",
    ];
    repo.sync(&[]).expect(0).says(&said).says_nothing_of(&["left out  gamma"]);
    repo.assert_copied("alpha", ".claude/skills/alpha");
    for path in [".gemini/skills/alpha", ".codex/skills/alpha", ".claude/skills/beta"] {
        assert!(!repo.exists(path), "{path}");
    }
    repo.assert_copied("gamma", ".gemini/skills/gamma");
    repo.sync(&["--check"]).expect(0).says(&said);
    let json: serde_json::Value = serde_json::from_str(&repo.sync(&["--format", "json"]).expect(0).stdout).unwrap();
    let want = serde_json::json!([
        {"path": "agent/skills/alpha", "targets": ["gemini", "codex"], "reason": "`skills` in the config says"},
        {"path": "agent/skills/cat/beta", "targets": ["claude", "gemini", "codex"], "reason": "`skills` in the config says"},
    ]);
    assert_eq!(json["left_out"], want);
    repo.commit_all("all");
    for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(args).expect(0).says_nothing_of(&["mirror-"]);
    }
}

#[test]
fn restricting_a_skill_removes_its_mirror_and_keeps_user_files() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write("agent/canonry.yaml", "skills: {alpha: {targets: [claude]}}\n");
    repo.check(&[]).expect(1).says(&["mirror-orphan", "no longer in the canon, but still in"]);
    repo.git(&["add", "agent/canonry.yaml"]);
    repo.check(&["--staged"]).expect(1).says(&["mirror-orphan", "and 3 more"]);
    repo.write(".codex/skills/alpha/SKILL.md", document("alpha") + "mine\n");
    repo.sync(&[]).expect(5).says(&[".codex/skills/alpha/SKILL.md: edited by hand"]);
    assert_eq!(repo.text(".codex/skills/alpha/SKILL.md"), document("alpha") + "mine\n");
    for mirror in [".gemini", ".cursor", ".antigravity"] {
        assert!(!repo.exists(&format!("{mirror}/skills/alpha")), "{mirror}");
    }
    repo.sync(&["--force"]).expect(0).says(&["backed up"]);
    assert!(!repo.exists(".codex/skills/alpha"));
    repo.assert_copied("alpha", ".claude/skills/alpha");
    repo.assert_mirrored(&["beta"]);
    // Without the restriction, the mirror comes back.
    repo.remove("agent/canonry.yaml");
    repo.sync(&["--commit"]).expect(0);
    repo.assert_mirrored(&["alpha", "beta"]);
    repo.check(&["--rev", "HEAD"]).expect(0);
}

#[test]
fn an_unknown_skill_name_in_the_config_is_reported() {
    let repo = Repo::synced(&["alpha"]);
    repo.write("agent/canonry.yaml", "skills: {alhpa: {targets: [claude]}}\n");
    repo.check(&[]).says(&["skill-setting-unknown", "did you mean `alpha`?"]);
}
