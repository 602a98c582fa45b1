use super::*;

fn parse(text: &str) -> Result<Config, Vec<String>> {
    let source = Source::new(RepoPath::from("agent/canonry.yaml"), text.to_owned());
    let say = |p: ConfigProblem| format!("{}: {}", source.slice(p.span), p.message);
    Config::parse(&source, &["broken-link", "name-case"]).map_err(|problems| problems.into_iter().map(say).collect())
}

#[test]
fn every_key_has_a_default() {
    assert_eq!(parse(""), Ok(Config::default()));
    assert_eq!(parse("# nothing\n"), Ok(Config::default()));
}

#[test]
fn reads_keys() {
    let config = parse("targets: [claude, agents]\nrules: {broken-link: 'off'}\n");
    let want = Config {
        targets: vec![Target::Claude, Target::Agents],
        rules: BTreeMap::from([("broken-link".to_owned(), Severity::Off)]),
        ..Config::default()
    };
    assert_eq!(config, Ok(want));
}

#[test]
fn a_skill_has_the_last_word_on_how_it_is_mirrored() {
    let text = "mirrors: {claude: {mode: symlink}}\n\
                skills: {a: {mode: copy}, b: {targets: [claude]}, c: {mode: symlink, targets: []}}\n";
    let config = parse(text).unwrap();
    let (copy, link) = (MirrorMode::Copy, MirrorMode::Symlink);
    for (skill, target, mode, admitted) in [
        ("a", Target::Claude, copy, true),
        ("b", Target::Claude, link, true),
        ("b", Target::Cursor, copy, false),
        ("c", Target::Cursor, link, false),
        ("d", Target::Claude, link, true),
        ("d", Target::Agents, copy, true),
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
fn files_are_off_but_for_the_pointer() {
    let config = parse("files: {claude: {context: import, mcp: true}, antigravity: {mcp: true}}\n").unwrap();
    assert_eq!(config.files.claude, ClaudeFiles { context: ContextMode::Import, mcp: true, ..ClaudeFiles::default() });
    assert_eq!(config.files.antigravity, AntigravityFiles { mcp: true, ..AntigravityFiles::default() });
    assert!(config.files.antigravity.pointer && config.files.gemini == GeminiFiles::default());
}

#[test]
fn points_at_what_is_wrong() {
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
        Err(vec!["broken-lnk: there is no rule `broken-lnk`; did you mean `broken-link`?".to_owned()])
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
