//! Aliases of merged rules in the config, in suppressions, in baselines and in `explain`.

use crate::common::repo::Repo;

const COMMA_LIST: &str = "---\nname: a\ndescription: Use it when asked.\nallowed-tools: [Read]\nlicense: [MIT]\n---\n";

/// The findings of `value-not-string` with their severities under a config.
fn not_strings(repo: &Repo) -> Vec<(String, String)> {
    let document: serde_json::Value = serde_json::from_str(&repo.run(&["check", "--format", "json"]).stdout).unwrap();
    let found = document["findings"].as_array().unwrap().iter();
    let found = found.filter(|finding| finding["rule"] == "value-not-string");
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    found.map(|finding| (text(&finding["severity"]), text(&finding["message"]))).collect()
}

#[test]
fn an_alias_selects_its_part_of_a_merged_rule() {
    let repo = Repo::new();
    repo.write("agent/skills/a/SKILL.md", COMMA_LIST);
    let severities = |repo: &Repo| not_strings(repo).into_iter().map(|(severity, _)| severity).collect::<Vec<_>>();
    assert_eq!(severities(&repo), ["error"]);
    for (config, want) in [
        ("rules: {allowed-tools-not-string: warning}\n", &["warning", "error"][..]),
        ("rules: {value-not-string: info}\n", &["info", "info"]),
        ("rules: {value-not-string: info, license-not-string: error}\n", &["info", "error"]),
    ] {
        repo.write("agent/canonry.yaml", config);
        assert_eq!(severities(&repo), want, "{config}");
    }
}

#[test]
fn an_alias_works_in_suppressions_baselines_and_explain() {
    let repo = Repo::new();
    let suppressed = COMMA_LIST.replace("license:", "# canonry: allow license-not-string two licenses\nlicense:");
    repo.write("agent/skills/a/SKILL.md", &suppressed);
    assert!(not_strings(&repo).is_empty());
    repo.write("agent/skills/a/SKILL.md", &suppressed.replace("license-not-string", "value-not-string"));
    assert!(not_strings(&repo).is_empty());
    repo.write("agent/skills/a/SKILL.md", COMMA_LIST);
    assert_eq!(repo.run(&["check", "--write-baseline"]).status, 0);
    let path = repo.path("agent/baseline.json");
    let baseline = std::fs::read_to_string(&path).unwrap();
    assert!(baseline.contains("value-not-string"), "{baseline}");
    // A baseline written before the merge contains the former rule ids.
    std::fs::write(&path, baseline.replace("value-not-string", "license-not-string")).unwrap();
    assert!(not_strings(&repo).is_empty());
    let page = repo.run(&["explain", "license-not-string"]).stdout;
    assert!(page.starts_with("# value-not-string\n") && page.contains("Aliases: name-not-string, "), "{page}");
}
