//! A run that is killed at any write leaves complete files, and the next run completes the canon.

use crate::init::assert_clean;
use crate::support::failpoints::{Scenario, interrupt_everywhere};
use crate::support::repo::{Repo, document};

fn with_skills() -> Repo {
    let repo = Repo::empty();
    for folder in [".claude/skills/mine", ".gemini/skills/mine"] {
        repo.write(&format!("{folder}/SKILL.md"), document("mine"));
        repo.write(&format!("{folder}/notes.md"), "notes\n");
    }
    repo.write(".claude/skills/broken/SKILL.md", "no frontmatter\n");
    repo
}

/// One file of each kind: in a new directory, in an existing one, and at the top.
#[test]
fn survives_a_kill_while_completing_a_canon() {
    let make = || {
        let repo = Repo::empty();
        repo.canonry(&["init", "--all"]).expect(0);
        for path in ["AGENTS.md", "skills/plan", "policies", "memory/semantic/LESSONS.md"] {
            repo.remove(&format!("agent/{path}"));
        }
        repo.remove(".git/canonry");
        repo
    };
    interrupt_everywhere(&Scenario { make, args: &["init", "--all"], precious: &[], then: assert_clean });
}

#[test]
fn survives_a_kill_while_adopting_skills() {
    let then = |repo: &Repo| {
        assert!(repo.text("agent/mirrors.lock").lines().count() == 5, "{}", repo.text("agent/mirrors.lock"));
    };
    let precious = &["notes\n", "no frontmatter\n"];
    interrupt_everywhere(&Scenario { make: with_skills, args: &["init", "--with", "instructions"], precious, then });
}

#[test]
fn survives_a_kill_in_a_nested_canon() {
    let make = || {
        let repo = with_skills();
        repo.write("canonry.yaml", "root: tools/canon\n");
        repo.write("tools/canon/skills/own/SKILL.md", document("own"));
        repo
    };
    interrupt_everywhere(&Scenario {
        make,
        args: &["init", "--with", "instructions"],
        precious: &["notes\n"],
        then: |_| (),
    });
}
