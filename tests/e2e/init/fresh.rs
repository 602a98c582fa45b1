//! `init` in a repository without a canon, and a second run.

use crate::init::{assert_clean, assert_kept, json, paths};
use crate::support::repo::{Repo, document};

const SKILLS: [&str; 7] = ["intake", "plan", "execute", "verify", "report", "review", "security"];

#[test]
fn new_canon_has_no_findings() {
    let repo = Repo::empty();
    repo.canonry(&["init", "--all"]).expect(0).says(&[
        "agent/skills: execute, intake, memory-manager, plan, report, review, security, skillforge, verify",
        "canonry check",
        "canonry sync --commit",
        "canonry install git-hooks",
    ]);
    assert_clean(&repo);
    repo.sync(&[]).expect(0);
    assert_clean(&repo);
    for root in [".claude", ".agents"] {
        for skill in SKILLS {
            repo.assert_copied(skill, &format!("{root}/skills/{skill}"));
        }
    }
    assert!(!repo.exists(".gemini") && !repo.exists(".cursor"), "nobody uses them");
    let before = repo.tree();
    repo.canonry(&["init", "--all"]).expect(0).says(&["Nothing to add", "29 files"]).says_nothing_of(&["Next"]);
    assert_eq!(repo.tree(), before);
    repo.commit_all("all");
    assert_eq!(repo.canonry(&["check", "--staged"]).expect(0).stdout, "");
    repo.canonry(&["check", "--rev", "HEAD"]).expect(0).says(&["2 warnings"]);
}

/// Follows the hints at the end of the output.
#[test]
fn next_steps_commit_the_canon() {
    let repo = Repo::empty();
    repo.canonry(&["init", "--all"]).expect(0);
    repo.check(&[]).expect(0);
    repo.sync(&["--commit"]).expect(0);
    repo.git(&["add", "agent"]);
    repo.git(&["commit", "-qm", "The rest of the canon"]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.check(&["--rev", "HEAD"]).expect(0);
}

/// Nobody asked for more than the skills.
#[test]
fn skills_alone_are_one_file_and_one_commit() {
    let repo = Repo::empty();
    for name in ["deploy", "triage"] {
        repo.write(&format!(".claude/skills/{name}/SKILL.md"), document(name));
    }
    repo.commit_all("two skills");
    repo.canonry(&["init"]).expect(0).says(&[
        "1 file written, 2 skills adopted",
        "left out  instructions, workflow, hooks, memory; `--with` or `--all` adds them\n",
        "targets   .claude/skills\n",
    ]);
    repo.sync(&["--commit"]).expect(0).says(&["Committed 4 files"]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.check(&["--rev", "HEAD"]).expect(0).says(&["no findings"]);
}

/// A new config has each clone make the mirrors that git would ignore.
#[test]
fn a_take_over_of_ignored_folders_ends_green() {
    let repo = Repo::empty();
    repo.write(".gitignore", ".claude/\n");
    repo.write(".claude/skills/deploy/SKILL.md", document("deploy"));
    repo.commit_all("our ignore file");
    repo.canonry(&["init"])
        .expect(0)
        .says(&["note      git ignores .claude/skills, so each clone makes these mirrors with `canonry sync`\n"]);
    repo.sync(&["--commit"]).expect(0);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", "the rest"]);
    repo.check(&["--rev", "HEAD"]).expect(0).says(&["no findings"]);
    repo.check(&[]).expect(0);
}

/// The config of `init` has a line for the switches; a person's own `files:` is shown what to add.
#[test]
fn a_second_run_adds_a_part_and_connects_the_tools() {
    let repo = Repo::empty();
    repo.write(".claude/settings.json", "{}\n");
    repo.canonry(&["init"]).expect(0);
    repo.append("agent/canonry.yaml", "# ours\n");
    repo.canonry(&["init", "--with", "hooks"]).expect(0).says(&["on        claude: permissions, hooks\n"]);
    let config = repo.text("agent/canonry.yaml");
    assert!(config.contains("\nfiles:\n  claude:\n    permissions: true") && config.ends_with("# ours\n"), "{config}");
    repo.canonry(&["init", "--with", "instructions"])
        .expect(0)
        .says(&["note      add to the config to connect the tools:\n            files:\n              agents:\n"]);
    assert_eq!(repo.text("agent/canonry.yaml"), config);
    repo.canonry(&["init", "--with", "memory"]).expect(0).says(&["agent/memory"]);
    assert!(!repo.exists("agent/policies"));
}

#[test]
fn creates_every_file() {
    let repo = Repo::empty();
    let document = json(&repo, &["--all"], 0);
    let written = paths(&document, "written");
    for path in [
        "AGENTS.md",
        "canonry.yaml",
        "policies/WORKFLOW.md",
        "protocols/permissions.md",
        "protocols/delegation.md",
        "schemas/plan-schema.json",
        "schemas/report-schema.json",
        "memory/working/WORKSPACE.md",
        "memory/working/ACTIVE_PLAN.md",
        "memory/episodic/AGENT_LEARNINGS.jsonl",
        "memory/semantic/LESSONS.md",
        "memory/semantic/DECISIONS.md",
        "memory/semantic/DOMAIN_KNOWLEDGE.md",
        "memory/personal/PREFERENCES.md",
        "skills/plan/references/example.yaml",
    ] {
        assert!(written.contains(&format!("agent/{path}")), "{path}");
    }
    assert!(written.iter().any(|path| path.starts_with("agent/protocols/tool_schemas/")));
    let on_disk: Vec<String> = repo.tree_of(&["agent"]).into_keys().filter(|path| repo.path(path).is_file()).collect();
    assert_eq!(written, on_disk);
    for key in ["kept", "adopted", "refused"] {
        assert_eq!(paths(&document, key), [""; 0], "{key}");
    }
    assert!(repo.text("agent/AGENTS.md").lines().count() < 30);
    assert_eq!(repo.read("agent/memory/episodic/AGENT_LEARNINGS.jsonl"), b"");
    assert!(!repo.exists("agent/mirrors.lock"), "there is nothing to own yet");
}

#[test]
fn schemas_apply_to_the_example() {
    let repo = Repo::empty();
    repo.canonry(&["init", "--all"]).expect(0);
    // The example is not a plan: a team with one plan need not name it.
    assert!(!repo.exists("agent/plans"));
    let text = repo.text("agent/skills/plan/references/example.yaml");
    let plan = "agent/plans/limit-uploads/plan.yaml";
    repo.write(plan, &text);
    repo.check(&[plan]).expect(0).says(&["no findings"]);
    repo.canonry(&["run", "next"]).expect(0).says(&["reject-large-uploads"]);
    repo.write(plan, text.replacen("    description:", "    risk_notes:", 1));
    repo.check(&[plan]).expect(1).says(&["team-schema-violation", "`description` is missing"]);
}

/// An editor finds the schema that the first line of the config names.
#[test]
fn the_config_names_an_existing_schema() {
    let repo = Repo::empty();
    repo.canonry(&["init"]).expect(0);
    let config = repo.text("agent/canonry.yaml");
    let named = config.lines().next().unwrap().split_once(concat!("/raw/v", env!("CARGO_PKG_VERSION"), "/")).unwrap().1;
    let printed = repo.canonry(&["schema", "config"]).expect(0).stdout;
    assert_eq!(std::fs::read_to_string(format!("{}/{named}", env!("CARGO_MANIFEST_DIR"))).unwrap(), printed);
}

#[test]
fn dry_run_prints_everything_and_writes_nothing() {
    let repo = Repo::empty();
    repo.write(".claude/skills/mine/SKILL.md", crate::support::repo::document("mine"));
    let before = repo.tree();
    let ran = repo.canonry(&["init", "--all", "--dry-run"]).expect(0);
    let foreseen = json(&repo, &["--all", "--dry-run"], 0);
    assert_eq!(repo.tree(), before);
    assert!(!repo.exists(".git/canonry"));
    // The printed files are those that a run creates.
    let copy = Repo::empty();
    let patch = copy.home().join("patch");
    std::fs::write(&patch, &ran.stdout).unwrap();
    copy.git(&["apply", patch.to_str().unwrap()]);
    let done = json(&repo, &["--all"], 0);
    assert_eq!(done, foreseen);
    let mut applied = copy.tree_of(&["agent"]);
    let mut made = repo.tree_of(&["agent"]);
    made.remove("agent/mirrors.lock");
    applied.retain(|path, _| copy.path(path).is_file());
    made.retain(|path, _| repo.path(path).is_file());
    assert_eq!(applied, made);
}

#[test]
fn overwrites_no_file() {
    let repo = Repo::empty();
    let whole = paths(&json(&Repo::empty(), &["--all", "--dry-run"], 0), "written");
    // Replaces everything with other text, except files that must be valid.
    for path in whole.iter().filter(|path| !path.ends_with("canonry.yaml") && !path.ends_with("schema.json")) {
        repo.write(path, format!("our own {path}\r\n"));
    }
    repo.write("agent/skills/plan/notes.md", "ours\n");
    let before = repo.tree();
    let document = json(&repo, &["--all"], 0);
    assert_kept(&before, &repo.tree());
    assert_eq!(paths(&document, "kept").len(), whole.len() - 4, "{document:#}");
    let before = repo.tree();
    json(&repo, &["--all"], 0);
    assert_eq!(repo.tree(), before);
}

#[test]
fn omits_parts_that_the_team_has() {
    let repo = Repo::empty();
    for (path, name) in [("plan", "plan"), ("cat/review", "review"), ("check-up", "verify"), ("Intake", "Intake")] {
        repo.write(
            &format!("agent/skills/{path}/SKILL.md"),
            format!("---\nname: {name}\ndescription: Ours. Use when asked.\n---\n"),
        );
    }
    repo.write("agent/skills/security/draft.md", "not yet a skill\n");
    repo.write("agent/plans/ours/plan.yaml", "steps:\n  - {id: A, owner: Someone, commands: ['Run: make']}\n");
    repo.write("agent/schemas/report-schema.json", "{}\n");
    let before = repo.tree();
    let written = paths(&json(&repo, &["--all"], 0), "written");
    assert_kept(&before, &repo.tree());
    let skills: Vec<&String> = written.iter().filter(|path| path.contains("/skills/")).collect();
    let own = ["execute", "memory-manager", "report", "skillforge"].map(|name| format!("agent/skills/{name}/SKILL.md"));
    assert_eq!(skills, own.iter().collect::<Vec<_>>());
    let is_omitted = |path: &&String| path.ends_with("plan-schema.json") || path.ends_with("report-schema.json");
    assert_eq!(written.iter().find(is_omitted), None);
    repo.check(&["agent/plans"]).expect(0).says(&["no findings"]);
}

#[test]
fn restores_deleted_files() {
    let repo = Repo::empty();
    repo.canonry(&["init", "--all"]).expect(0);
    let whole = repo.tree();
    repo.remove("agent/policies");
    repo.remove("agent/skills/plan");
    assert_eq!(paths(&json(&repo, &["--all"], 0), "written").len(), 3);
    assert_eq!(repo.tree(), whole);
}

#[test]
fn instructions_come_without_skills() {
    let repo = Repo::empty();
    repo.write(".claude/skills/mine/SKILL.md", crate::support::repo::document("mine"));
    let document = json(&repo, &["--with", "instructions"], 0);
    assert_eq!(paths(&document, "written"), ["agent/AGENTS.md", "agent/canonry.yaml"]);
    assert_eq!(paths(&document, "adopted"), ["agent/skills/mine/SKILL.md"]);
    assert_clean(&repo);
    repo.sync(&[]).expect(0);
    assert_clean(&repo);
    // From now on missing mirrors are drift.
    repo.remove(".claude/skills/mine");
    repo.check(&[]).expect(1).says(&["mirror-missing"]);
}

#[test]
fn reports_missing_mirrors_after_the_first_sync() {
    let repo = Repo::empty();
    repo.write("agent/canonry.yaml", "targets: [claude]\n");
    repo.write(".claude/skills/mine/SKILL.md", document("mine"));
    repo.canonry(&["init"]).expect(0);
    let lock = repo.text("agent/mirrors.lock");
    assert_clean(&repo);
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text("agent/mirrors.lock"), lock, "a lock alone does not prove that a sync has run");
    repo.skill("new");
    repo.check(&[]).expect(1).says(&["mirror-missing"]);
}

#[test]
fn reports_an_unsynced_canon_in_another_clone() {
    let repo = Repo::empty();
    repo.canonry(&["init", "--all"]).expect(0);
    repo.commit_all("without a sync");
    assert_clean(&repo);
    repo.check(&["--rev", "HEAD"]).expect(0).says(&["mirror-never-synced"]);
    // A sync that was committed elsewhere counts here too.
    let lock = "b9a0016abbf27a02ee59e281f738453a68f5b70c 100644 .claude/skills/plan/SKILL.md\n";
    repo.write("agent/mirrors.lock", lock);
    repo.check(&[]).expect(1).says(&["mirror-missing"]);
}
