use super::*;
use canonry_text::{RepoPath, Source};

fn parse(text: &str) -> Result<Config, Vec<String>> {
    let source = Source::new(RepoPath::from("agent/canonry.yaml"), text.to_owned());
    let located = |p: ConfigProblem| format!("{}: {}", source.slice(p.span), p.message);
    Config::parse(&source, &[]).map_err(|problems| problems.into_iter().map(located).collect())
}

fn names(text: &str) -> Vec<(&'static str, &'static str)> {
    parse(text).unwrap().targets.iter().map(|target| (target.name(), target.mirror())).collect()
}

#[test]
fn targets_are_a_list_or_a_map() {
    let claude = ("claude", ".claude/skills");
    let agents = ("agents", ".agents/skills");
    assert_eq!(names("targets: [claude, agents]\n"), [claude, agents]);
    // Tools that read `.agents/skills` are one target.
    assert_eq!(names("targets: [amp, claude, zed, agents]\n"), [agents, claude]);
    assert_eq!(names("targets: {claude: , agents: true}\n"), [claude, agents]);
    assert_eq!(names("targets: {claude: {}, agents: {skills: .agents/skills}}\n"), [claude, agents]);
    assert_eq!(names("targets:\n  foo: {skills: .bar/skills/}\n  claude:\n"), [("foo", ".bar/skills"), claude]);
    assert_eq!(names("targets: {}\n"), []);
}

#[test]
fn other_keys_name_rows_of_the_config() {
    let text = "targets: {foo: {skills: .foo/skills}, claude: }\nmirrors: {foo: {mode: symlink}}\n\
                skills: {a: {targets: [foo]}, b: {targets: [claude]}}\n";
    let config = parse(text).unwrap();
    let foo = Target::custom("foo", ".foo/skills");
    let link = crate::config::MirrorMode::Symlink;
    assert_eq!((config.mode("a", foo), config.mode("a", Target::CLAUDE) == link), (link, false));
    assert!(config.admits("a", foo) && !config.admits("b", foo) && !config.admits("a", Target::CLAUDE));
    assert!(
        config.is_in_mirror(&RepoPath::from(".foo/skills/a")) && !config.is_in_mirror(&RepoPath::from(".bar/skills/a"))
    );
    assert!(config.known_targets().contains(&foo));
}

#[test]
fn rows_may_have_servers_and_instructions_in_a_known_format() {
    let config = parse(
        "targets:\n  foo:\n    skills: .config/foo/skills\n    mcp: {path: .foo/mcp.json, format: zed}\n    \
         context: {file: FOO.md, mode: import}\n",
    )
    .unwrap();
    let [tool] = config.files.mcp_tools()[..] else { panic!() };
    assert_eq!((tool.key, tool.row.path, tool.row.root), ("foo", ".foo/mcp.json", &["context_servers"][..]));
    let [context] = config.files.context_tools()[..] else { panic!() };
    assert_eq!((context.file, context.form), ("FOO.md", crate::tools::tool_formats::ContextForm::Import("@")));
    let inside = RepoPath::from(".config/foo/skills/a/SKILL.md");
    assert_eq!(crate::config::mirror_root(&inside), Some(RepoPath::from(".config/foo/skills")));
}

#[test]
fn reports_rows_that_cannot_be_mirrors() {
    for (text, want) in [
        ("targets: {zap: }\n", "zap: unknown tool `zap`; name the folder that it reads: `zap: {skills: .zap/skills}`"),
        ("targets: {foo: true}\n", "foo: unknown tool `foo`; "),
        ("targets: {claud: }\n", "claud: unknown tool `claud`; did you mean `claude`? Otherwise name the folder"),
        ("targets: {claude: false}\n", "false: remove the line instead of setting `claude` to `false`"),
        (
            "targets: {claude: {skills: .foo/skills}}\n",
            ".foo/skills: `claude` reads `.claude/skills`; choose another name",
        ),
        ("targets: {Foo: {skills: .foo/skills}}\n", "Foo: `Foo`: use lowercase letters, digits and hyphens"),
        ("targets: {foo: {skills: ../foo/skills}}\n", "../foo/skills: `skills: ../foo/skills` is not a folder in this"),
        ("targets: {foo: {skills: /etc/skills}}\n", "/etc/skills: `skills: /etc/skills` is not a folder in this"),
        ("targets: {foo: {skills: ~/skills}}\n", "~/skills: `skills: ~/skills` is not a folder in this repository"),
        ("targets: {foo: {skills: .git/skills}}\n", ".git/skills: `skills: .git/skills` is in git's own folder"),
        ("targets: {foo: {skills: .GIT/skills}}\n", ".GIT/skills: `skills: .GIT/skills` is in git's own folder"),
        (
            "targets: {foo: {skills: agent/skills}}\n",
            "agent/skills: `skills: agent/skills` is in the canon's own folder",
        ),
        (
            "root: .canon\ntargets: {foo: {skills: .canon/skills}}\n",
            ".canon/skills: `skills: .canon/skills` is in the canon's own folder, `.canon`",
        ),
        ("targets: {foo: {skills: src}}\n", "src: `skills: src` does not have the form `.NAME/skills`"),
        ("targets: {foo: {skills: foo/skills}}\n", "foo/skills: `skills: foo/skills` does not have the form"),
        ("targets: {foo: {skills: .foo/skills/x}}\n", ".foo/skills/x: `skills: .foo/skills/x` does not have the form"),
        ("targets: {foo: {skills: ./skills}}\n", "./skills: `skills: ./skills` does not have the form"),
        (
            "targets: {foo: {skills: .claude/skills}}\n",
            ".claude/skills: `skills: .claude/skills` is the mirror of `claude`",
        ),
        (
            "targets: {foo: {skills: .Claude/skills}}\n",
            ".Claude/skills: `skills: .Claude/skills` differs only in case from the mirror of `claude`",
        ),
        (
            "targets: {foo: {skills: .foo/skills}, bar: {skills: .FOO/skills}}\n",
            ".FOO/skills: `skills: .FOO/skills` is the folder of `foo` too",
        ),
        ("targets: {foo: {skils: .foo/skills}}\n", "skils: unknown key `skils`; did you mean `skills`?"),
        (
            "targets: {foo: {skills: .github/foo/skills}}\n",
            ".github/foo/skills: `skills: .github/foo/skills` is in the folder of `copilot`",
        ),
        ("targets: {foo: {skills: .foo/a/b/c/skills}}\n", ".foo/a/b/c/skills: `skills: .foo/a/b/c/skills` does not"),
        (
            "targets: {claude: {mcp: {path: .x/a.json, format: zed}}}\n",
            "{path: .x/a.json, format: zed}: canonry knows the files of `claude`: write `files: {claude: …}`",
        ),
        (
            "targets: {foo: {skills: .foo/skills, mcp: {path: .mcp.json, format: zed}}}\n",
            ".mcp.json: `.mcp.json` belongs to `claude`",
        ),
        (
            "targets: {foo: {skills: .foo/skills, mcp: {path: src/mcp.json, format: zed}}}\n",
            "src/mcp.json: `src/mcp.json` does not have the form `.NAME/FILE.json`",
        ),
        (
            "targets: {foo: {skills: .foo/skills, mcp: {path: .foo/skills/a.json, format: zed}}}\n",
            ".foo/skills/a.json: `.foo/skills/a.json` is in a mirror",
        ),
        (
            "targets: {foo: {skills: .foo/skills, context: {file: ../FOO.md}}}\n",
            "../FOO.md: `../FOO.md` is not a file in this repository",
        ),
        (
            "targets: {foo: {skills: .foo/skills, context: {file: agent/FOO.md}}}\n",
            "agent/FOO.md: `agent/FOO.md` is in the canon's own folder",
        ),
        (
            "targets: {foo: {skills: .foo/skills, context: {file: FOO.md}}, bar: {skills: .bar/skills, context: {file: Foo.md}}}\n",
            "Foo.md: `Foo.md` is the file of `foo` too",
        ),
        ("targets: {foo: 3}\n", "3: `targets.foo`"),
        ("skills: {a: {targets: [foo]}}\n", "foo: unknown target `foo`"),
        ("skills: {a: {targets: [claud]}}\n", "claud: unknown target `claud`; did you mean `claude`?"),
        ("skills: {a: {targets: [amp]}}\n", "amp: Amp reads `.agents/skills`: write `agents`"),
        ("mirrors: {foo: {mode: copy}}\n", "foo: unknown key `foo`"),
    ] {
        let problems = parse(text).expect_err(text);
        assert!(problems[0].starts_with(want), "{text}: {problems:#?}");
    }
}
