//! The tools in the schemas of the config and of hooks.yaml come from the table of tools. `cargo xtask docs` writes them.

use canonry_model::config::switches::{Switch, switches_of_tool};
use canonry_model::config::{HookTool, TOOLS, Target, ToolRow};
use serde_json::Value;
use std::path::Path;

const PATH: &str = "schemas/config.schema.json";
const HOOKS: &str = "schemas/hooks.schema.json";

/// The schema on the disk, with the tools of the table.
pub fn updated() -> String {
    let mut schema = read(PATH);
    let has_json_servers = |row: &&ToolRow| row.is_written() && row.mcp.is_some_and(|mcp| mcp.is_json());
    let versions: Vec<String> = TOOLS.iter().filter(|row| has_version(row)).map(version).collect();
    replace(&mut schema, "\"tool\": { \"enum\": [", "] }", &ids(TOOLS.iter()));
    replace(&mut schema, "\"mcp_format\": { \"enum\": [", "] }", &ids(TOOLS.iter().filter(has_json_servers)));
    replace(&mut schema, "\"tool_versions\": {", "\n      }\n", &format!("{VERSIONS}{}", versions.join(",\n")));
    let parsed: Value = serde_json::from_str(&schema).unwrap();
    let files = &parsed["properties"]["files"]["properties"];
    let added: String = TOOLS.iter().filter(|row| files[row.id].is_null()).map(entry_of).collect();
    // Before the keys that belong to no single tool.
    let at = schema.find("        \"agents\": {\n          \"description\"").expect("`files.agents` is in the schema");
    schema.insert_str(at, &added);
    schema
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

const VERSIONS: &str =
    "\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n      \"properties\": {\n";

/// A version of a tool that shares a folder would exclude the skill for the others too.
fn has_version(row: &ToolRow) -> bool {
    row.id != "agents" && !row.is_through_agents()
}

fn version(row: &ToolRow) -> String {
    format!(
        "        \"{}\": {{ \"description\": \"Version of {}.\", \"$ref\": \"#/$defs/version\" }}",
        row.id, row.name
    )
}

fn ids<'a>(rows: impl Iterator<Item = &'a ToolRow>) -> String {
    rows.map(|row| format!("\"{}\"", row.id)).collect::<Vec<_>>().join(", ")
}

/// Replaces what is between two texts.
fn replace(schema: &mut String, before: &str, after: &str, with: &str) {
    let start = schema.find(before).unwrap_or_else(|| panic!("no `{before}`")) + before.len();
    let end = start + schema[start..].find(after).unwrap_or_else(|| panic!("no `{after}` after `{before}`"));
    schema.replace_range(start..end, with);
}

/// The entry of a new tool below `files`. The descriptions can be edited.
fn entry_of(row: &'static ToolRow) -> String {
    let keys: Vec<String> = switches_of_tool(row)
        .iter()
        .map(|Switch { key, value, effect, .. }| {
            let about = Value::from(format!("{effect}."));
            let form = match *value {
                "true" => "\"type\": \"boolean\", \"default\": false".to_owned(),
                mode => format!("\"enum\": [\"off\", \"{mode}\", \"copy\"], \"default\": \"off\""),
            };
            format!("            \"{key}\": {{ \"description\": {about}, {form} }}")
        })
        .collect();
    if keys.is_empty() {
        return String::new();
    }
    format!(
        "        \"{}\": {{\n          \"description\": \"For {}.\",\n          \"type\": \"object\",\n          \
         \"additionalProperties\": false,\n          \"properties\": {{\n{}\n          }}\n        }},\n",
        row.id,
        row.name,
        keys.join(",\n")
    )
}

#[test]
fn generated_config_schema_is_current() {
    canonry_testing::generated::assert_current(PATH, &updated());
}

#[test]
fn generated_hooks_schema_is_current() {
    let mut schema = read(HOOKS);
    replace(&mut schema, "\"enum\": [", "]", &ids(HookTool::all().iter().map(|tool| tool.row)));
    canonry_testing::generated::assert_current(HOOKS, &schema);
}

#[test]
fn the_schema_has_the_default_targets() {
    let schema: Value = serde_json::from_str(&updated()).unwrap();
    let default: Vec<&str> = Target::DEFAULT.iter().map(|target| target.name()).collect();
    assert_eq!(schema["properties"]["targets"]["default"], serde_json::json!(default));
}

#[test]
fn the_schema_has_a_switch_for_every_written_file() {
    let schema: Value = serde_json::from_str(&updated()).unwrap();
    // The default targets have more, and some of their files are written in other ways.
    let is_default = |row: &ToolRow| Target::DEFAULT.iter().any(|target| target.name() == row.id);
    for row in TOOLS.iter().filter(|row| row.id != "agents" && !is_default(row)) {
        let keys = schema["properties"]["files"]["properties"][row.id]["properties"].as_object();
        let mut keys: Vec<&str> = keys.into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        let mut written: Vec<&str> = switches_of_tool(row).into_iter().map(|switch| switch.key).collect();
        keys.sort_unstable();
        written.sort_unstable();
        assert_eq!(keys, written, "{PATH}: the keys of `files.{}`, and what its row says is written", row.id);
    }
}
