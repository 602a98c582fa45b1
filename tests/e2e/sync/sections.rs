//! Parts of a SKILL.md that are for some tools only, and skills that say themselves whom they are for.

use crate::support::repo::{Repo, document};

const SKILL: &str = "agent/skills/alpha/SKILL.md";
const CLAUDE: &str = ".claude/skills/alpha/SKILL.md";
const GEMINI: &str = ".gemini/skills/alpha/SKILL.md";
const PART: &str = "\n<!-- canonry: only claude, codex -->\nUse the Task tool.\n<!-- canonry: end -->\n";

fn parted() -> String {
    document("alpha") + "\nbefore\n" + PART + "\nmiddle\n\nafter\n"
}

fn without() -> String {
    document("alpha") + "\nbefore\n" + "\n" + "\nmiddle\n\nafter\n"
}

fn repo() -> Repo {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write(SKILL, parted());
    repo.sync(&[]).expect(0);
    repo.commit_all("all");
    repo
}

#[track_caller]
fn assert_parted(repo: &Repo) {
    for mirror in [".claude", ".codex"] {
        repo.assert_copied("alpha", &format!("{mirror}/skills/alpha"));
    }
    for mirror in [".gemini", ".cursor", ".antigravity"] {
        assert_eq!(repo.text(&format!("{mirror}/skills/alpha/SKILL.md")), without(), "{mirror}");
    }
    repo.assert_mirrored(&["beta"]);
}

#[test]
fn a_tool_gets_the_parts_that_are_for_it_and_every_view_agrees() {
    let repo = repo();
    assert_parted(&repo);
    // Where nothing is left out no blob is stored twice.
    let id = |path: &str| repo.git(&["rev-parse", &format!("HEAD:{path}")]);
    assert_eq!(id("agent/skills/alpha"), id(".claude/skills/alpha"));
    repo.sync(&[]).expect(0).says(&["Up to date"]);
    repo.sync(&["--check"]).expect(0);
    for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(args).expect(0).says_nothing_of(&["mirror-"]);
    }
}

#[test]
fn a_copy_with_parts_for_others_is_stale_also_where_its_tree_is_the_canons() {
    let repo = Repo::synced(&["alpha", "beta"]);
    // As someone may commit who has no canonry at hand.
    repo.write(SKILL, parted());
    for mirror in crate::support::repo::MIRRORS {
        repo.write(&format!("{mirror}/alpha/SKILL.md"), parted());
    }
    repo.commit_all("by hand");
    repo.check(&["--rev", "HEAD"])
        .expect(1)
        .says(&["mirror-edited", GEMINI])
        .says_nothing_of(&[&format!("× {CLAUDE}")]);
    repo.sync(&[]).expect(5).says(&[GEMINI]);
    repo.sync(&["--force"]).expect(0);
    assert_parted(&repo);
}

#[test]
fn what_is_staged_is_parted_as_it_is_staged() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(SKILL, parted());
    repo.git(&["add", SKILL]);
    repo.write(SKILL, document("alpha") + "later\n");
    repo.check(&["--staged"]).expect(1).says(&["mirror-stale"]);
    repo.sync(&["--staged"]).expect(0);
    assert_eq!(repo.git(&["show", &format!(":{GEMINI}")]), without().trim_end());
    assert_eq!(repo.git(&["show", &format!(":{CLAUDE}")]), parted().trim_end());
    repo.check(&["--staged"]).expect(0);
    repo.write(SKILL, parted());
    repo.sync(&["--commit"]).expect(0);
    repo.check(&["--rev", "HEAD"]).expect(0);
    assert_parted(&repo);
}

#[test]
fn what_cannot_be_followed_is_a_finding_and_leaves_the_mirrors() {
    let repo = repo();
    let before = repo.mirrors();
    for (part, rule, words) in [
        ("<!-- canonry: only claude -->\nx\n", "section-malformed", "has no `<!-- canonry: end -->`"),
        ("<!-- canonry: end -->\n", "section-malformed", "this `end` has no matching start"),
        ("<!-- canonry: only gemni -->\nx\n<!-- canonry: end -->\n", "target-unknown", "did you mean `gemini`?"),
        ("<!-- canonry: onyl gemini -->\n", "section-malformed", "unknown word `onyl`"),
    ] {
        repo.write(SKILL, document("alpha") + part);
        repo.sync(&[]).expect(1).says(&["refused   agent/skills/alpha: agent/skills/alpha/SKILL.md: line 7", words]);
        assert_eq!(repo.mirrors(), before);
        repo.check(&[]).expect(1).says(&[rule, "SKILL.md:7:", words]).says_nothing_of(&["mirror-"]);
        repo.git(&["add", SKILL]);
        repo.sync(&["--staged"]).expect(1).says(&[words]);
        repo.check(&["--staged"]).expect(1).says(&[rule]);
    }
    repo.write(SKILL, parted());
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn an_edit_goes_into_the_document_and_one_that_would_not_come_back_is_refused() {
    let repo = repo();
    repo.write(GEMINI, without().replace("after", "AFTER"));
    repo.sync(&["--adopt", GEMINI]).expect(0).says(&["adopted   agent/skills/alpha/SKILL.md"]);
    assert_eq!(repo.text(SKILL), parted().replace("after", "AFTER"));
    assert_eq!(repo.text(GEMINI), without().replace("after", "AFTER"));
    assert_eq!(repo.text(CLAUDE), parted().replace("after", "AFTER"));
    repo.sync(&["--check"]).expect(0);
    // In a copy that has all of it an edit may not say that its own tool gets less.
    let own = repo.text(CLAUDE) + "<!-- canonry: only gemini -->\nx\n<!-- canonry: end -->\n";
    repo.write(CLAUDE, &own);
    let before = repo.tree();
    repo.sync(&["--adopt", CLAUDE]).expect(5).says(&["give this tool other content"]);
    assert_eq!(repo.tree(), before);
    // Nor may that of a new file.
    repo.write(
        ".claude/skills/new/SKILL.md",
        document("new") + "<!-- canonry: except claude -->\nx\n<!-- canonry: end -->\n",
    );
    repo.sync(&["--adopt", ".claude/skills/new"]).expect(5).says(&["give this tool other content"]);
    assert!(!repo.exists("agent/skills/new"));
}

#[test]
fn an_edit_beside_a_part_that_is_left_out_is_refused() {
    let repo = repo();
    let edited = without().replace("before\n\n\nmiddle", "before\n\nwhere does this go\n\nmiddle");
    repo.write(GEMINI, &edited);
    let before = repo.tree();
    repo.sync(&["--adopt", GEMINI]).expect(5).says(&[GEMINI]);
    assert_eq!(repo.tree(), before);
}

#[test]
fn an_executable_bit_is_taken_back_without_the_text() {
    let repo = repo();
    repo.chmod(GEMINI, 0o755);
    repo.sync(&["--adopt", GEMINI]).expect(0);
    assert_eq!((repo.mode(SKILL), repo.text(SKILL)), (0o755, parted()));
    assert_eq!(repo.mode(CLAUDE), 0o755);
}

#[test]
fn where_links_are_wanted_a_tool_that_gets_less_has_a_copy() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write(
        "agent/canonry.yaml",
        "targets: [claude, gemini]\nmirrors: {claude: {mode: symlink}, gemini: {mode: symlink}}\n",
    );
    repo.sync(&[]).expect(0);
    assert!(repo.path(".gemini/skills/alpha").is_symlink());
    // The link stays the same, and what it shows does not.
    repo.write(SKILL, parted());
    repo.sync(&["--check"]).expect(1);
    repo.sync(&[]).expect(0);
    repo.commit_all("all");
    assert!(repo.path(".claude/skills/alpha").is_symlink() && !repo.path(".gemini/skills/alpha").is_symlink());
    assert_eq!(repo.text(GEMINI), without());
    repo.check(&["--rev", "HEAD"]).says_nothing_of(&["mirror-"]);
}

#[test]
fn a_skill_says_itself_whom_it_is_for() {
    let repo = Repo::synced(&["alpha", "beta"]);
    let gated = document("alpha").replace("\n---\n", "\nmetadata:\n  canonry-targets: \"claude codex\"\n---\n");
    repo.write(SKILL, &gated);
    let said = "left out  alpha: not for gemini, cursor, antigravity, as `canonry-targets` in its frontmatter says";
    repo.sync(&[]).expect(0).says(&[said]);
    repo.assert_copied("alpha", ".claude/skills/alpha");
    assert!(!repo.exists(".gemini/skills/alpha"));
    repo.sync(&["--check"]).expect(0).says(&[said]);
    // The config may keep it from more, and gives it to no others.
    repo.write("agent/canonry.yaml", "skills: {alpha: {targets: [claude, gemini]}}\n");
    repo.sync(&[]).expect(0).says(&["alpha: not for cursor, codex, antigravity, as `skills` in the config says"]);
    assert!(repo.exists(CLAUDE) && !repo.exists(".codex/skills/alpha") && !repo.exists(GEMINI));
    repo.remove("agent/canonry.yaml");
    repo.sync(&["--commit"]).expect(0).says(&[said]);
    repo.assert_copied("alpha", ".codex/skills/alpha");
    for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(args).expect(0).says_nothing_of(&["mirror-"]);
    }
    repo.write(SKILL, gated.replace("codex", "codx"));
    repo.check(&[]).expect(1).says(&["target-unknown", "did you mean `codex`?"]);
    repo.sync(&[]).expect(1).says(&["unknown tool `codx`"]);
    repo.assert_copied("beta", ".codex/skills/beta");
    assert_eq!(repo.text(".codex/skills/alpha/SKILL.md"), gated);
}

#[test]
fn a_tool_that_is_too_old_is_left_out() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(
        "agent/canonry.yaml",
        "versions: {claude: \"2.0.5\"}\nskills: {alpha: {requires: {claude: \">=2.1.0\"}}}\n",
    );
    let said =
        "left out  alpha: not for claude, since it requires >=2.1.0 there, and `versions` in the config says 2.0.5";
    repo.check(&[]).expect(1).says(&["mirror-orphan"]);
    repo.sync(&[]).expect(0).says(&[said]);
    assert!(!repo.exists(".claude/skills/alpha"));
    let json: serde_json::Value = serde_json::from_str(&repo.sync(&["--format", "json"]).stdout).unwrap();
    assert_eq!(json["left_out"][0]["reason"], "it requires >=2.1.0 there, and `versions` in the config says 2.0.5");
    repo.write(
        "agent/canonry.yaml",
        "versions: {claude: \"2.1\"}\nskills: {alpha: {requires: {claude: \">=2.1.0\"}}}\n",
    );
    repo.sync(&["--commit"]).expect(0).says_nothing_of(&["left out"]);
    repo.assert_mirrored(&["alpha", "beta"]);
    repo.write("agent/canonry.yaml", "skills: {alpha: {requires: {claude: \">=2.1.0\"}}}\n");
    repo.sync(&[]).expect(65).says(&["agent/canonry.yaml:1:", "the version of claude is unknown"]);
}

#[test]
fn a_tool_that_comes_later_gets_its_parts_alone() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(SKILL, parted());
    repo.targets(&["claude"]);
    repo.sync(&["--commit"]).expect(0);
    repo.targets(&["claude", "gemini"]);
    repo.sync(&[]).expect(0);
    assert_eq!((repo.text(CLAUDE), repo.text(GEMINI)), (parted(), without()));
    repo.sync(&["--check"]).expect(0);
    // The same text again, after another one: what was left out comes back, and goes again.
    repo.write(SKILL, document("alpha"));
    repo.sync(&[]).expect(0);
    repo.assert_copied("alpha", ".gemini/skills/alpha");
    repo.write(SKILL, parted());
    repo.sync(&[]).expect(0);
    assert_eq!((repo.text(CLAUDE), repo.text(GEMINI)), (parted(), without()));
}

#[test]
fn an_overlay_that_was_the_canons_own_text_leaves_no_part_behind() {
    let repo = repo();
    // By this the mirror would hold what the canon does, parts for others and all.
    let overlay = "agent/overlays/gemini/skills/alpha/SKILL.md";
    repo.write(overlay, parted());
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(GEMINI), without());
    repo.remove(overlay);
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(GEMINI), without());
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn a_skill_inside_another_one_is_parted_too() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/skills/alpha/inner/SKILL.md", document("inner") + PART);
    repo.sync(&[]).expect(0);
    repo.assert_copied("alpha", ".claude/skills/alpha");
    assert_eq!(repo.text(".gemini/skills/alpha/inner/SKILL.md"), document("inner") + "\n");
    repo.commit_all("all");
    repo.check(&["--rev", "HEAD"]).says_nothing_of(&["mirror-"]);
}

#[test]
fn init_leaves_a_skill_of_a_tool_that_says_the_tool_gets_something_else() {
    let repo = Repo::empty();
    let own = document("alpha") + "<!-- canonry: except claude -->\nx\n<!-- canonry: end -->\n";
    repo.write(CLAUDE, &own);
    repo.write(".claude/skills/beta/SKILL.md", document("beta"));
    repo.canonry(&["init"]).says(&["give this tool other content"]);
    assert!(!repo.exists(SKILL) && repo.exists("agent/skills/beta/SKILL.md"));
    assert_eq!(repo.text(CLAUDE), own);
}
