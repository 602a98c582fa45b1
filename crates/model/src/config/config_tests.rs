use super::files::ToolSwitches;
use super::*;
use crate::canon::schema::built_in_json;
use serde_json::Value as Json;
use std::collections::BTreeSet;

fn parse(text: &str) -> Result<Config, Vec<String>> {
    let source = Source::new(RepoPath::from("agent/canonry.yaml"), text.to_owned());
    let located = |p: ConfigProblem| format!("{}: {}", source.slice(p.span), p.message);
    Config::parse(&source, &["broken-link", "name-invalid"])
        .map_err(|problems| problems.into_iter().map(located).collect())
}

#[test]
fn every_key_has_a_default() {
    assert_eq!(parse(""), Ok(Config::default()));
    assert_eq!(parse("# comment\n"), Ok(Config::default()));
}

#[test]
fn parses_keys() {
    let config = parse("targets: [claude, agents]\nrules: {broken-link: 'off'}\n");
    let want = Config {
        targets: vec![Target::CLAUDE, Target::AGENTS],
        rules: BTreeMap::from([("broken-link".to_owned(), Severity::Off)]),
        ..Config::default()
    };
    assert_eq!(config, Ok(want));
}

#[test]
fn skill_settings_override_mirror_settings() {
    let text = "mirrors: {claude: {mode: symlink}}\n\
                skills: {a: {mode: copy}, b: {targets: [claude]}, c: {mode: symlink, targets: []}}\n";
    let config = parse(text).unwrap();
    let copy = MirrorMode::Copy;
    let link = MirrorMode::Symlink;
    for (skill, target, mode, admitted) in [
        ("a", Target::CLAUDE, copy, true),
        ("b", Target::CLAUDE, link, true),
        ("b", Target::CURSOR, copy, false),
        ("c", Target::CURSOR, link, false),
        ("d", Target::CLAUDE, link, true),
        ("d", Target::AGENTS, copy, true),
    ] {
        assert_eq!((config.mode(skill, target), config.admits(skill, target)), (mode, admitted), "{skill} {target:?}");
    }
    assert_eq!(
        parse("mirrors: {claud: {mode: copy}}\n"),
        Err(vec!["claud: unknown key `claud`; did you mean `claude`?".to_owned()])
    );
    assert_eq!(
        parse("skills: {a: {target: [claude]}}\n"),
        Err(vec!["target: unknown key `target`; did you mean `targets`?".to_owned()])
    );
    assert!(parse("mirrors: {claude: {mode: hardlink}}\n").is_err());
}

#[test]
fn tool_files_are_off_except_the_pointer() {
    let config = parse("files: {claude: {context: import, mcp: true}, antigravity: {mcp: true}}\n").unwrap();
    let claude = ToolSwitches { context: ContextMode::Import, mcp: true, ..ToolSwitches::default() };
    assert_eq!(config.files.tool("claude"), claude);
    assert_eq!(config.files.tool("antigravity"), ToolSwitches { mcp: true, ..ToolSwitches::default() });
    assert_eq!(config.files.tool("gemini"), ToolSwitches::default());
    assert!(config.files.has_pointer());
}

#[test]
fn reports_problems_with_their_position() {
    assert_eq!(
        parse("target: [claude]\n"),
        Err(vec!["target: unknown key `target`; did you mean `targets`?".to_owned()])
    );
    let wrong = parse("targets: [vim]\n").unwrap_err();
    assert!(wrong[0].starts_with("vim: `targets.0`: "), "{wrong:?}");
    assert_eq!(
        parse("memory: {half_life_day: 20}\n"),
        Err(vec!["half_life_day: unknown key `half_life_day`; did you mean `half_life_days`?".to_owned()])
    );
    assert_eq!(
        parse("memory:\n  weights: {pian: 2}\n"),
        Err(vec!["pian: unknown key `pian`; did you mean `pain`?".to_owned()])
    );
    assert_eq!(
        parse("rules: {broken-lnk: error}\n"),
        Err(vec!["broken-lnk: unknown rule `broken-lnk`; did you mean `broken-link`?".to_owned()])
    );
    assert_eq!(
        parse("files: {claude: {contxt: import}}\n"),
        Err(vec!["contxt: unknown key `contxt`; did you mean `context`?".to_owned()])
    );
    assert!(parse("files: {claude: {context: setting}}\n").is_err());
    assert!(parse("memory: {half_life_days: 0}\n").is_err());
    assert!(parse("a: b: c\n").is_err());
    assert!(parse("root: a\nroot: b\n").is_err());
}

#[test]
fn plans_settings_are_parsed() {
    let plans = |text: &str| parse(text).map(|config| (config.plans.remote, config.plans.claim_ttl.as_secs()));
    assert_eq!(plans("plans: {}\n"), Ok((None, 1_800)));
    assert_eq!(plans("plans: {remote: team/origin-2, claim_ttl: 2h}\n"), Ok((Some("team/origin-2".to_owned()), 7_200)));
    // Not a name of a remote: an option, a path, or a URL that runs a program.
    for wrong in ["-x", "../x", "a/../b", "/x", "\"ext::sh -c x\"", "https://example.com/x", "\"\""] {
        assert!(plans(&format!("plans: {{remote: {wrong}}}\n")).is_err(), "{wrong}");
    }
    for wrong in ["30", "0m", "1d", "-1s", "9999999s", "169h"] {
        assert!(plans(&format!("plans: {{claim_ttl: {wrong}}}\n")).is_err(), "{wrong}");
    }
}

/// Every key of the schema with a value that is valid for it, as YAML flow mappings nested below their parents.
fn samples(node: &Json, schema: &Json, sample: &mut Vec<String>, prefix: &str, suffix: &str) {
    let node = match node["$ref"].as_str() {
        Some(reference) => schema.pointer(reference.trim_start_matches('#')).unwrap(),
        None => node,
    };
    if let Some(properties) = node["properties"].as_object() {
        for (key, below) in properties {
            samples(below, schema, sample, &format!("{prefix}{{{key}: "), &format!("}}{suffix}"));
        }
        return;
    }
    let value = match (node["enum"].as_array(), node["type"].as_str()) {
        (Some(options), _) => options[0].to_string(),
        (None, Some("boolean")) => "true".to_owned(),
        (None, Some("number" | "integer")) => "1".to_owned(),
        (None, Some("array")) => "[]".to_owned(),
        (None, Some("object")) => "{}".to_owned(),
        _ => return,
    };
    sample.push(format!("{prefix}{value}{suffix}"));
}

#[test]
fn structs_accept_every_key_of_the_schema() {
    let schema = built_in_json(SchemaKind::Config);
    let mut texts = Vec::new();
    samples(schema, schema, &mut texts, "", "");
    assert!(texts.len() > 50, "{texts:?}");
    for text in texts {
        serde_yaml::from_str::<Config>(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
}

#[test]
fn schema_has_every_field_of_the_structs() {
    // The structs deny unknown fields, and serde lists the known ones in its error.
    for (pointer, open, close) in [
        ("", "", ""),
        ("/files/agents", "files: {agents: {", "}}"),
        ("/files/git", "files: {git: {", "}}"),
        ("/overrides/0", "overrides: [{", "}]"),
        ("/mirrors/claude", "mirrors: {claude: {", "}}"),
        ("/skills/a", "skills: {a: {", "}}"),
        ("/memory", "memory: {", "}"),
        ("/memory/weights", "memory: {weights: {", "}}"),
        ("/hooks", "hooks: {", "}"),
        ("/plans", "plans: {", "}"),
    ] {
        assert_eq!(fields(open, close), SchemaKind::Config.known_keys("", pointer).into_iter().collect(), "{pointer}");
    }
    // One struct has the switches of all tools.
    let of_tools = TOOLS.iter().flat_map(|row| SchemaKind::Config.known_keys("", &format!("/files/{}", row.id)));
    assert_eq!(fields("files: {claude: {", "}}"), of_tools.collect());
}

/// The fields that serde knows at a place of a config.
fn fields(open: &str, close: &str) -> BTreeSet<String> {
    let error = serde_yaml::from_str::<Config>(&format!("{open}no_such_key: 1{close}")).unwrap_err().to_string();
    let listed = error.split_once("expected").unwrap_or_else(|| panic!("{open}: {error}")).1;
    listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn files_of_an_unknown_tool_are_an_error() {
    for (text, want) in [
        ("files: {kirro: {mcp: true}}\n", "unknown key `kirro`; did you mean `kiro`?"),
        ("files: {amp: {commands: true}}\n", "unknown key `commands`; the keys of `files.amp` are "),
    ] {
        let source = Source::new(RepoPath::from("agent/canonry.yaml"), text.to_owned());
        let problems = Config::parse(&source, &[]).unwrap_err();
        assert!(problems[0].message.starts_with(want), "{problems:?}");
    }
}
