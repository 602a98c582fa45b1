//! `canonry protocol list` and `canonry protocol test`, constraints of skills, and denials in the log.

use super::{bash, begun, hook, rows};
use serde_json::Value;

fn validator(name: &str) -> jsonschema::Validator {
    let path = format!("{}/schemas/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

const PAGE: &str = "# Permissions\n\n## Always allowed\n\n- `git status`\n\n## Requires approval\n\n- Merge pull requests.\n- Water the plants.\n\n\
                    ## Never allowed\n\n- `git rebase` of a shared branch.\n- `make prod` after lunch.\n";

#[test]
fn lists_what_each_entry_becomes() {
    let repo = begun();
    repo.write("agent/protocols/permissions.md", PAGE);
    repo.write(
        "agent/canonry.yaml",
        "files:\n  claude:\n    hooks: true\n    permissions: true\n  gemini:\n    permissions: true\n",
    );
    repo.write(
        "agent/skills/infra/SKILL.md",
        "---\nname: infra\ndescription: x\nconstraints:\n  - \"never run: terraform destroy\"\n  - be kind\n---\n",
    );
    insta::assert_snapshot!(repo.shown(&["protocol", "list"]));
    let document: Value =
        serde_json::from_str(&repo.canonry(&["protocol", "list", "--format", "json"]).stdout).unwrap();
    assert!(validator("protocols").is_valid(&document), "{document:#}");
    let denied = repo.canonry(&["protocol", "explain", "terraform destroy"]);
    assert_eq!(denied.status, 5);
    assert!(denied.stdout.contains("agent/skills/infra/SKILL.md:5"), "{}", denied.stdout);
}

#[test]
fn lists_the_packs() {
    let repo = begun();
    repo.write("agent/canonry.yaml", "hooks:\n  packs: [cloud]\n");
    let text = repo.canonry(&["protocol", "list", "--packs"]).stdout;
    assert!(text.contains("cloud (on, ") && text.contains("kubectl (off, "), "{text}");
    let document: Value =
        serde_json::from_str(&repo.canonry(&["protocol", "list", "--packs", "--format", "json"]).stdout).unwrap();
    assert!(validator("packs").is_valid(&document));
    assert_eq!(repo.canonry(&["protocol", "explain", "az vm delete -n x"]).status, 3);
    assert_eq!(repo.canonry(&["protocol", "explain", "kubectl delete ns x"]).status, 0);
}

#[test]
fn checks_a_table_of_commands() {
    let repo = begun();
    repo.write("agent/protocols/permissions.md", PAGE);
    repo.write("good.tsv", "# commands\nallow\tgit status\npass\tls\nask\tgh pr merge 3\n");
    assert_eq!(repo.canonry(&["protocol", "test", "good.tsv"]).status, 0);
    repo.write("bad.tsv", "deny\tgit status\nask\tgh pr merge 3\n");
    let ran = repo.canonry(&["protocol", "test", "bad.tsv"]);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.contains("bad.tsv:1: `git status` is allow, not deny"), "{}", ran.stdout);
    let document: Value =
        serde_json::from_str(&repo.canonry(&["protocol", "test", "bad.tsv", "--format", "json"]).stdout).unwrap();
    assert!(validator("protocol-test").is_valid(&document), "{document:#}");
    repo.write("broken.tsv", "maybe\tls\n");
    let ran = repo.canonry(&["protocol", "test", "broken.tsv"]);
    assert_eq!(ran.status, 65);
    assert!(ran.stderr.contains("broken.tsv:1"), "{}", ran.stderr);
    assert_eq!(repo.canonry(&["protocol", "test", "absent.tsv"]).status, 65);
}

#[test]
fn a_denial_is_logged_once_per_session() {
    let repo = begun();
    let before = rows(&repo).len();
    let token = format!("gh{}_{}", 'p', "wQ7zK2mX9rT4vB6nL1pS8dF3gH5jC0yUaEoi");
    let call = bash(&format!("git push -f origin main --token={token}"));
    for _ in 0..2 {
        let ran = hook(&repo, &["pre-tool", "--tool", "claude"], &call);
        assert!(ran.stdout.contains("\"deny\""), "{}", ran.stdout);
    }
    hook(&repo, &["pre-tool", "--tool", "claude"], &bash("git status"));
    let logged = rows(&repo);
    assert_eq!(logged.len(), before + 1, "{logged:?}");
    let row = &logged[before];
    assert_eq!(row["result"], "denied");
    assert!(row["detail"].as_str().unwrap().contains("never allowed"), "{row}");
    assert!(!row.to_string().contains(&token), "{row}");
}
