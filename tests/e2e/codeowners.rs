//! `canonry install codeowners`.

use crate::support::repo::{Repo, document};

fn owned(name: &str, owner: &str) -> String {
    document(name).replacen("---\n", &format!("---\nmetadata:\n  owner: \"{owner}\"\n"), 1)
}

fn canon() -> Repo {
    let repo = Repo::empty();
    repo.write("agent/skills/a/SKILL.md", owned("a", "@acme/a, x@acme.example"));
    repo.write("agent/skills/ops/deploy-web/SKILL.md", document("deploy-web"));
    repo.write("agent/skills/free/SKILL.md", document("free"));
    repo.write("agent/skills/odd/SKILL.md", owned("odd", "somebody"));
    repo.write("agent/owners", "# who\ndeploy-* @acme/ops\n");
    repo.targets(&["claude"]);
    repo
}

const BLOCK: &str = "# >>> canonry >>>\n\
                     /agent/skills/a/ @acme/a x@acme.example\n\
                     /.claude/skills/a/ @acme/a x@acme.example\n\
                     /agent/skills/ops/deploy-web/ @acme/ops\n\
                     /.claude/skills/deploy-web/ @acme/ops\n\
                     # <<< canonry <<<\n";

#[test]
fn a_new_file_is_created_and_removed() {
    let repo = canon();
    repo.canonry(&["install", "codeowners", "--dry-run"]).expect(0).says(&["+/agent/skills/a/ @acme/a"]);
    assert!(!repo.exists(".github"));
    repo.canonry(&["install", "codeowners"]).expect(0).says(&[
        "wrote     .github/CODEOWNERS",
        "note: `somebody`, an owner of odd, is not @user",
        "2 skills and their mirrors now have owners",
    ]);
    assert_eq!(repo.text(".github/CODEOWNERS"), BLOCK);
    repo.canonry(&["install", "codeowners"]).expect(0).says(&["unchanged .github/CODEOWNERS"]);
    repo.canonry(&["uninstall", "codeowners"]).expect(0).says(&["removed   .github/CODEOWNERS"]);
    assert!(!repo.exists(".github/CODEOWNERS"));
    repo.canonry(&["uninstall", "codeowners"]).expect(0).says(&["Nothing to remove"]);
}

#[test]
fn an_existing_file_is_restored_byte_for_byte() {
    for text in ["* @core\n", "* @core", "# mine\r\n* @core\r\n", ""] {
        let repo = canon();
        repo.write("docs/CODEOWNERS", text);
        repo.canonry(&["install", "codeowners"]).expect(0);
        let written = repo.text("docs/CODEOWNERS");
        assert!(written.starts_with(text) && written.contains("/agent/skills/a/ @acme/a"), "{written}");
        repo.write("agent/skills/a/SKILL.md", owned("a", "@acme/b"));
        repo.canonry(&["install", "codeowners"]).expect(0);
        assert!(repo.text("docs/CODEOWNERS").contains("/agent/skills/a/ @acme/b"));
        repo.canonry(&["uninstall", "codeowners"]).expect(0);
        assert_eq!(if repo.exists("docs/CODEOWNERS") { repo.text("docs/CODEOWNERS") } else { String::new() }, text);
    }
}

#[test]
fn the_host_and_the_owners_decide() {
    let repo = canon();
    repo.write(".gitlab-ci.yml", "x: {}\n");
    repo.canonry(&["install", "codeowners"]).expect(0).says(&["wrote     .gitlab/CODEOWNERS"]);
    let none = Repo::with_skills(&["a"]);
    none.canonry(&["install", "codeowners"]).expect(65).says(&["no skill has an owner", "agent/owners"]);
    let linked = canon();
    linked.link("CODEOWNERS", "/etc/passwd");
    linked.canonry(&["install", "codeowners"]).expect(5).says(&["CODEOWNERS is a link"]);
}

#[test]
fn the_mirrors_of_every_row_have_owners() {
    let repo = canon();
    repo.write("agent/canonry.yaml", "targets: {claude: , copilot: , kiro: , goose: , foo: {skills: .foo/skills}}\n");
    repo.canonry(&["install", "codeowners"]).expect(0);
    let written = repo.text(".github/CODEOWNERS");
    for mirror in [".claude", ".github", ".kiro", ".goose", ".foo"] {
        assert!(written.contains(&format!("/{mirror}/skills/a/ @acme/a x@acme.example\n")), "{mirror}: {written}");
    }
    assert_eq!(written.lines().count(), 2 + 2 * 6, "{written}");
}
