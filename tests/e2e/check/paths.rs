//! Severities by path.

use super::{SKILL, json, rules, skill, with};

#[test]
fn overrides_change_severities_by_path() {
    let repo = with(&skill("our-tier: 2\n", "[a](a.md)\n"));
    let link = |path: &str| repo.append(path, "\n[b](b.md)\n");
    link("agent/skills/release-notes/SKILL.md");
    repo.write(
        "agent/canonry.yaml",
        "rules: {broken-link: error}\noverrides:\n  - paths: [agent/skills/triage-*]\n    rules: {broken-link: off, skill-schema: info}\n",
    );
    let document = json(&repo, &["agent/skills"]);
    let said: Vec<(&str, &str)> = rules(&document)
        .into_iter()
        .zip(document["findings"].as_array().unwrap().iter().map(|f| f["severity"].as_str().unwrap()))
        .collect();
    assert_eq!(said, [("broken-link", "error"), ("skill-schema", "info")]);
}

#[test]
fn invalid_overrides_are_reported_with_their_location() {
    let repo = with(&skill("", ""));
    for (config, want) in [
        ("overrides:\n  - path: [a]\n    rules: {}\n", "2:5: unknown key `path`; did you mean `paths`?"),
        ("overrides:\n  - paths: [a]\n    rules: {broken-lnk: off}\n", "3:13: unknown rule `broken-lnk`; did you mean"),
        ("overrides:\n  - paths: ['a[']\n    rules: {}\n", "2:13: `a[` is not a valid glob"),
        ("overrides:\n  - paths: [/agent]\n    rules: {}\n", "2:13: `/agent` matches no path"),
    ] {
        repo.write("agent/canonry.yaml", config);
        let ran = repo.canonry(&["check"]);
        assert_eq!(ran.status, 65);
        assert!(ran.stderr.contains(&format!("agent/canonry.yaml:{want}")), "{}", ran.stderr);
    }
    assert!(repo.path(SKILL).exists());
}
