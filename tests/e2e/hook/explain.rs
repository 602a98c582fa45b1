//! `canonry protocol explain`.

use super::begun;
use serde_json::Value;

#[test]
fn explains_a_command() {
    let repo = begun();
    let lines = ["cd web && git push -f origin main", "canonry check", "make all | tee out.txt", "npx $TOOL"];
    let text: String = lines.iter().map(|line| repo.shown(&["protocol", "explain", line])).collect();
    insta::assert_snapshot!(text);
}

#[test]
fn explains_a_tool_call() {
    let repo = begun();
    let edit = r#"{"tool_name": "Edit", "tool_input": {"file_path": "agent/protocols/permissions.md"}}"#;
    let ran = repo.canonry(&["protocol", "explain", "--tool-call", edit]);
    assert_eq!(ran.status, 5);
    assert!(ran.stdout.contains("protected-file"), "{}", ran.stdout);
    for (args, status) in [
        (&["protocol", "explain"][..], 64),
        (&["protocol", "explain", "ls", "--tool-call", "{}"], 64),
        (&["protocol", "explain", "--tool-call", "{"], 65),
        (&["protocol", "explain", "--tool-call", "{}"], 65),
        (&["protocol", "explain", "git push origin x"], 3),
        (&["protocol", "explain", "git push origin main"], 5),
        (&["protocol", "explain", "$X"], 3),
        (&["protocol", "explain", "cd x && canonry memory accept 4f0c --reason 'I say so'"], 3),
        (&["protocol", "explain", "canonry memory review"], 0),
        (&["protocol", "explain", "ls"], 0),
    ] {
        assert_eq!(repo.canonry(args).status, status, "{args:?}");
    }
    repo.write("agent/protocols/tool_schemas/x.schema.json", "{");
    assert_eq!(repo.canonry(&["protocol", "explain", "ls"]).status, 65);
}

#[test]
fn document_matches_its_schema() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/ruling.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let repo = begun();
    let ran = repo.canonry(&["protocol", "explain", "git push -f origin main; ls", "--format", "json"]);
    let mut document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(validator.is_valid(&document), "{document:#}");
    assert_eq!((&document["verdict"], document["parts"].as_array().unwrap().len()), (&"deny".into(), 2));
    let at = &document["parts"][0]["reasons"];
    assert!(
        at.as_array()
            .unwrap()
            .iter()
            .any(|reason| reason["path"] == "agent/protocols/permissions.md" && reason["line"].is_u64())
    );
    document["verdict"] = "maybe".into();
    assert!(!validator.is_valid(&document));
}
