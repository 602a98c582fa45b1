use super::*;
use crate::syntax::{RepoPath, Source};

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
    let (claude, agents) = (("claude", ".claude/skills"), ("agents", ".agents/skills"));
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
