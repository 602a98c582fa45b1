//! The effects of calls by their shape, and properties of all calls.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn read(path: &str) -> CallEffect {
    CallEffect::Read(path.to_owned())
}

fn edit(path: &str) -> CallEffect {
    CallEffect::Edit(path.to_owned())
}

fn run(command: &str, is_certain: bool) -> CallEffect {
    CallEffect::Run { command: command.to_owned(), cwd: None, language: CommandLanguage::Shell, is_certain }
}

#[test]
fn names_and_keys_tell_the_effect() {
    for (name, args, want) in [
        ("mcp__fs__read_text_file", json!({"path": "a"}), vec![read("a")]),
        ("mcp__fs__get_file_info", json!({"path": "a"}), vec![]),
        ("mcp__fs__edit_file", json!({"path": "a", "edits": [{"oldText": "b"}]}), vec![edit("a")]),
        ("mcp__fs__create_directory", json!({"path": "a"}), vec![]),
        ("mcp__fs__deleteFile", json!({"filePath": "a"}), vec![CallEffect::Remove(vec!["a".to_owned()])]),
        ("mcp__github__push_files", json!({"files": [{"path": "a", "content": "b"}]}), vec![edit("a")]),
        ("transform", json!({"file": "a"}), vec![CallEffect::Use("a".to_owned())]),
        ("read", json!({"url": "file:///a/%2eb?c"}), vec![read("/a/.b")]),
        ("read", json!({"uri": "memo://a"}), vec![]),
        ("read", json!({"exclude_paths": ["a"], "repo_path": "b", "file_type": "c"}), vec![]),
        ("browser_navigate", json!({"url": "a.example"}), vec![CallEffect::Visit("a.example".to_owned())]),
        ("create_issue", json!({"url": "https://a.example", "body": "b"}), vec![]),
        ("execute_command", json!({"command": "a b"}), vec![run("a b", true)]),
        ("execute_command", json!({"command": "a", "args": ["b c"]}), vec![run("a 'b c'", true)]),
        ("execute_command", json!({"command": ["a", "b c"]}), vec![run("'a' 'b c'", true)]),
        ("batch", json!({"commands": ["a b", "c d"]}), vec![run("a b", false), run("c d", false)]),
        ("send_stdin", json!({"input": "a b\n"}), vec![run("a b", false)]),
        ("evaluate", json!({"script": "a()"}), vec![]),
        ("editor", json!({"command": "view", "path": "a"}), vec![read("a")]),
        ("editor", json!({"command": "create", "path": "a"}), vec![edit("a")]),
        ("batch", json!({"operations": [{"type": "write", "path": "a"}]}), vec![edit("a")]),
        ("note", json!("path"), vec![]),
        ("note", json!(null), vec![]),
    ] {
        assert_eq!(effects(name, &args), want, "{name} {args}");
    }
    let moved = TransferPaths { from: vec!["a".to_owned()], to: vec!["b".to_owned()] };
    let args = json!({"source": "a", "destination": "b"});
    assert_eq!(effects("move_file", &args), [CallEffect::Move(moved)]);
    let CallEffect::Run { language, cwd, .. } =
        &effects("start_process", &json!({"command": "x", "shell": "pwsh", "cwd": "/a"}))[0]
    else {
        panic!("no command");
    };
    assert_eq!((*language, cwd.as_deref()), (CommandLanguage::PowerShell, Some("/a")));
}

fn any_json() -> impl Strategy<Value = Value> {
    let text =
        prop_oneof!["\\PC{0,12}", Just("file:///%2".to_owned()), Just("write".to_owned()), Just("a b".to_owned())];
    let leaf = prop_oneof![text.prop_map(Value::from), any::<bool>().prop_map(Value::from), Just(Value::Null)];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let key = prop_oneof![
            "\\PC{0,6}",
            Just("command".to_owned()),
            Just("path".to_owned()),
            Just("url".to_owned()),
            Just("args".to_owned()),
            Just("type".to_owned()),
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((key, inner), 0..5).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_call_has_a_shape(name in "(mcp__|MCP:|mcp_)?[a-zA-Z_é-]{0,20}", args in any_json()) {
        effects(&name, &args);
    }
}
