//! The configuration page, and the JSON documents compared with their schemas.

use crate::support::generated::assert_current;
use crate::support::repo::{COLON, LINK, Repo};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Adds one row per key: name, type, default, description. Nested keys follow their parent.
///
/// The switches of a tool, and the tools in a map of versions, share a row.
fn rows(schema: &Value, of: &Value, prefix: &str, rows: &mut String) {
    for (key, property) in of["properties"].as_object().unwrap() {
        let name = format!("{prefix}{key}");
        if prefix == "files." && property["properties"].is_object() {
            rows.push_str(&format!("| `{name}` | mapping |  | {} |\n", switches(schema, property)));
            continue;
        }
        if property["$ref"] == "#/$defs/tool_versions" {
            let description = property["description"].as_str().unwrap();
            rows.push_str(&format!("| `{name}.TOOL` | string |  | {description} |\n"));
            continue;
        }
        let description = property["description"].as_str().unwrap_or_else(|| panic!("{name} has no description"));
        let default = property.get("default").map(|value| format!("`{value}`")).unwrap_or_default();
        let kind = kind(schema, property);
        rows.push_str(&format!("| `{name}` | {kind} | {default} | {} |\n", description.replace('|', "\\|")));
        let items = &property["items"];
        let each = resolved(schema, &property["additionalProperties"]);
        let resolved = resolved(schema, property);
        if resolved["properties"].is_object() {
            self::rows(schema, resolved, &format!("{name}."), rows);
        } else if each["properties"].is_object() {
            self::rows(schema, each, &format!("{name}.NAME."), rows);
        } else if items["properties"].is_object() {
            self::rows(schema, items, &format!("{name}[]."), rows);
        }
    }
}

/// The switches of a tool: their names, and their values if they are no booleans.
fn switches(schema: &Value, tool: &Value) -> String {
    let switch = |(key, property): (&String, &Value)| match kind(schema, property).as_str() {
        "boolean" => format!("`{key}`"),
        values => format!("`{key}` ({values})"),
    };
    let description = tool["description"].as_str().unwrap().trim_end_matches('.');
    let switches: Vec<String> = tool["properties"].as_object().unwrap().iter().map(switch).collect();
    format!("{description}: {}.", switches.join(", "))
}

/// The definition that a property refers to, or the property itself.
fn resolved<'s>(schema: &'s Value, property: &'s Value) -> &'s Value {
    let reference = property["$ref"].as_str().map(|reference| reference.trim_start_matches('#'));
    reference.map_or(property, |reference| schema.pointer(reference).unwrap())
}

fn kind(schema: &Value, property: &Value) -> String {
    let words = |values: &Value| {
        let words: Vec<String> =
            values.as_array().unwrap().iter().map(|v| format!("`{}`", v.as_str().unwrap())).collect();
        words.join(", ")
    };
    let property = resolved(schema, property);
    if property["enum"].is_array() {
        return words(&property["enum"]);
    }
    let range = [("minimum", "at least"), ("exclusiveMinimum", "more than"), ("maximum", "at most")];
    let range: Vec<String> =
        range.iter().filter_map(|(key, words)| Some(format!("{words} {}", property.get(*key)?))).collect();
    if let Some(types) = property["type"].as_array() {
        let one = |kind: &Value| self::kind(schema, &with_type(property, kind));
        return types.iter().filter(|kind| **kind != "null").map(one).collect::<Vec<_>>().join(", or ");
    }
    match property["type"].as_str().unwrap() {
        "array" => format!("list of {}", kind(schema, &property["items"])),
        "object" if property["additionalProperties"].is_object() => {
            format!("mapping to {}", kind(schema, &property["additionalProperties"]))
        }
        "object" => "mapping".to_owned(),
        simple if range.is_empty() => simple.to_owned(),
        simple => format!("{simple}, {}", range.join(", ")),
    }
}

/// The property as if it had only one of its types.
fn with_type(property: &Value, kind: &Value) -> Value {
    let mut property = property.clone();
    property["type"] = kind.clone();
    property
}

fn config_page() -> String {
    let text = std::fs::read_to_string(root().join("schemas/config.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let mut table = String::new();
    rows(&schema, &schema, "", &mut table);
    format!(
        "# Configuration\n\n{}\n\n\
         An unknown key or rule and an invalid value end every command with line and column. The switches of `files` are off by\n\
         default; [tools](tools.md#generated-files) has what each of them writes.\n\n\
         | key | type | default | what it is |\n|---|---|---|---|\n{table}\n\
         ```yaml\n\
         rules:\n  broken-link: error\n\
         overrides:\n  - paths: [\"agent/skills/legacy/**\"]\n    rules: {{broken-link: off, name-invalid: warning}}\n\
         ```\n\n\
         Generated from [the schema](../../schemas/config.schema.json).\n",
        schema["description"].as_str().unwrap()
    )
}

#[test]
fn generated_config_page_is_current() {
    let page = config_page();
    assert_current("docs/reference/config.md", &page);
    let example = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let repo = Repo::with_skill();
    repo.write("agent/canonry.yaml", example);
    assert_eq!(repo.canonry(&["check"]).stderr, "");
}

/// Applies the examples of the page on tool files.
#[test]
fn the_examples_on_the_tools_page_work() {
    let page = std::fs::read_to_string(root().join("docs/reference/tools.md")).unwrap();
    let block = |language: &str| page.split(&format!("```{language}\n")).nth(1).unwrap().split("```").next().unwrap();
    let repo = Repo::with_skill();
    repo.write("agent/canonry.yaml", block("yaml"));
    repo.write("agent/mcp.json", block("json"));
    repo.write("agent/AGENTS.md", "# Working here\n");
    let ran = repo.canonry(&["sync"]);
    let steps: Vec<&str> = ran.stderr.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!((ran.status, steps), (0, vec!["gemini", "codex", "cursor"]), "{}{}", ran.stdout, ran.stderr);
    for path in [".mcp.json", ".gemini/settings.json", ".codex/config.toml", ".cursor/mcp.json", "AGENTS.md"] {
        assert!(repo.path(path).exists(), "{path}");
    }
    assert_eq!(repo.canonry(&["check"]).status, 0);
    // Every option of the schema is in the table.
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(root().join("schemas/config.schema.json")).unwrap()).unwrap();
    for (tool, keys) in schema["properties"]["files"]["properties"].as_object().unwrap() {
        for key in keys["properties"].as_object().into_iter().flat_map(|keys| keys.keys()) {
            let named = page.contains(&format!("`{key}`")) || page.contains(&format!("`{tool}.{key}`"));
            assert!(named, "docs/reference/tools.md does not mention {tool}.{key}");
        }
    }
}

fn schema(name: &str) -> jsonschema::Validator {
    let text = std::fs::read_to_string(root().join("schemas").join(name)).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert!(jsonschema::meta::is_valid(&schema), "{name} is not a valid schema");
    jsonschema::validator_for(&schema).unwrap()
}

/// Runs a command and validates its JSON document.
fn valid(repo: &Repo, schema: &jsonschema::Validator, args: &[&str]) -> Value {
    let text = repo.canonry(&[args, &["--format", "json"]].concat()).stdout;
    let document: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{args:?}: {e}:\n{text}"));
    let errors: Vec<String> = schema.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{args:?}: {errors:#?}\n{text}");
    document
}

fn length(document: &Value, key: &str) -> usize {
    document[key].as_array().unwrap().len()
}

#[test]
fn findings_match_their_schema() {
    let schema = schema("findings.schema.json");
    let repo = Repo::with_synced_skill();
    assert_eq!(length(&valid(&repo, &schema, &["check"]), "findings"), 0);
    repo.write("agent/skills/triage-bug/SKILL.md", COLON);
    repo.write("agent/skills/deploy-check/SKILL.md", LINK);
    repo.write("agent/skills/twice/SKILL.md", "---\nname: twice\nname: twice\ndescription: Use it twice.\n---\n");
    repo.append(".claude/skills/release-notes/SKILL.md", "- Be brief.\n");
    let document = valid(&repo, &schema, &["check"]);
    assert!(length(&document, "findings") >= 5, "{document:#}");
    let related = document["findings"].as_array().unwrap().iter().any(|finding| length(finding, "related") > 0);
    assert!(related, "the sample needs a finding with a related location");
    // A schema that allows everything proves nothing, so invalid values must be rejected.
    for (pointer, wrong) in
        [("/findings/0/severity", "fatal"), ("/findings/0/span/line", "1"), ("/schema", "canonry/findings/v2")]
    {
        let mut document = document.clone();
        *document.pointer_mut(pointer).unwrap() = Value::from(wrong);
        assert!(!schema.is_valid(&document), "{pointer}: {wrong} must not be allowed");
    }
}

#[test]
fn sync_outcomes_match_their_schema() {
    let schema = schema("sync.schema.json");
    let repo = Repo::with_skill();
    for args in [&["sync", "--check"][..], &["sync", "--dry-run"], &["sync"]] {
        assert_eq!(length(&valid(&repo, &schema, args), "written"), 11, "{args:?}");
    }
    repo.append(".claude/skills/release-notes/SKILL.md", "- Be brief.\n");
    repo.write(".claude/skills/own/SKILL.md", "mine\n");
    std::fs::remove_file(repo.path("agent/skills/release-notes/references/format.md")).unwrap();
    let document = valid(&repo, &schema, &["sync"]);
    let lengths = ["written", "removed", "refused", "unowned"].map(|key| length(&document, key));
    assert_eq!(lengths, [0, 5, 1, 1], "{document:#}");
    let mut wrong = document.clone();
    wrong["refused"][0]["reason"] = Value::Null;
    assert!(!schema.is_valid(&wrong));
}

#[test]
fn baselines_match_their_schema() {
    let schema = schema("baseline.schema.json");
    let repo = Repo::with_synced_skill();
    repo.write("agent/skills/triage-bug/SKILL.md", COLON);
    assert_eq!(repo.canonry(&["check", "--write-baseline"]).status, 0);
    let text = std::fs::read_to_string(repo.path("agent/baseline.json")).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert!(schema.is_valid(&document) && length(&document, "findings") == 1, "{text}");
    for pointer in ["/schema", "/findings/0/fingerprint", "/findings/0/rule"] {
        let mut wrong = document.clone();
        *wrong.pointer_mut(pointer).unwrap() = Value::from("x y");
        assert!(!schema.is_valid(&wrong), "{pointer}");
    }
}

#[test]
fn init_outcomes_match_their_schema() {
    let schema = schema("init.schema.json");
    let repo = Repo::empty();
    repo.write(".claude/skills/own/SKILL.md", "---\nname: own\ndescription: Use when asked.\n---\n");
    for tool in [".claude", ".gemini"] {
        repo.write(&format!("{tool}/skills/odd/SKILL.md"), tool);
    }
    repo.write("agent/AGENTS.md", "# Ours\n");
    let lengths =
        |document: &Value| ["written", "kept", "adopted", "owned", "refused"].map(|key| length(document, key));
    for args in [&["init", "--all", "--dry-run"][..], &["init", "--all"]] {
        let document = valid(&repo, &schema, args);
        assert_eq!(lengths(&document), [28, 1, 1, 1, 1], "{document:#}");
    }
    let document = valid(&repo, &schema, &["init", "--all"]);
    assert_eq!(lengths(&document), [0, 29, 0, 0, 1], "{document:#}");
    let mut wrong = document.clone();
    wrong["refused"][0]["reason"] = Value::Null;
    assert!(!schema.is_valid(&wrong));
}

#[test]
fn import_outcomes_match_their_schema() {
    let schema = schema("import.schema.json");
    let repo = Repo::empty();
    assert_eq!(valid(&repo, &schema, &["import"])["from"], Value::Null);
    repo.write(".ruler/AGENTS.md", "# Theirs\n");
    repo.write(".ruler/style.md", "# Style\n");
    repo.write(".ruler/notes.txt", "Notes.\n");
    repo.write(
        ".ruler/ruler.toml",
        "default_agents = [\"claude\"]\n[mcp_servers.a]\ncommand = \"a\"\nenv = {TOKEN = \"x\"}\n",
    );
    repo.write("agent/AGENTS.md", "# Ours\n");
    let lengths = |document: &Value| ["written", "taken", "left", "refused"].map(|key| length(document, key));
    for args in [&["import", "--dry-run"][..], &["import"]] {
        let document = valid(&repo, &schema, args);
        assert_eq!(lengths(&document), [3, 2, 1, 1], "{document:#}");
        assert_eq!(document["config"]["written"], true);
    }
    let document = valid(&repo, &schema, &["import"]);
    assert_eq!(lengths(&document), [0, 2, 1, 1], "{document:#}");
    for pointer in ["/refused/0/reason", "/left/0/path", "/taken/0/to", "/schema"] {
        let mut wrong = document.clone();
        *wrong.pointer_mut(pointer).unwrap() = Value::Null;
        assert!(!schema.is_valid(&wrong), "{pointer}");
    }
}

#[test]
fn recall_and_context_documents_match_their_schema() {
    let recall = schema("recall.schema.json");
    let context = schema("context.schema.json");
    let repo = Repo::with_skill();
    assert_eq!(length(&valid(&repo, &recall, &["recall", "release"]), "hits"), 0);
    assert_eq!(length(&valid(&repo, &context, &["context"]), "parts"), 0);
    repo.canonry(&["log", "-s", "release-notes", "-a", "left out a release", "-r", "failure", "--id", "e1"]);
    repo.write("agent/memory/semantic/LESSONS.md", "# Lessons\n\n- name each release\n");
    repo.write("agent/protocols/permissions.md", "# Permissions\n\n## Never allowed\n\n- push\n");
    let recalled = valid(&repo, &recall, &["recall", "release"]);
    assert_eq!(length(&recalled, "hits"), 2);
    let assembled = valid(&repo, &context, &["context", "--for", "release", "--budget", "30"]);
    assert!(length(&assembled, "parts") > 1, "{assembled:#}");
    for (schema, document, pointer) in
        [(&recall, &recalled, "/hits/0/kind"), (&recall, &recalled, "/schema"), (&context, &assembled, "/parts/0/part")]
    {
        let mut wrong = document.clone();
        *wrong.pointer_mut(pointer).unwrap() = Value::Null;
        assert!(!schema.is_valid(&wrong), "{pointer}");
    }
}

#[test]
fn skill_lists_match_their_schema() {
    let schema = schema("skills.schema.json");
    let repo = Repo::with_synced_skill();
    let list = valid(&repo, &schema, &["skills", "list"]);
    assert_eq!(length(&list, "skills"), 1);
    assert_eq!(length(&valid(&repo, &schema, &["skills", "match", "release"]), "matches"), 1);
    let show = valid(&repo, &schema, &["skills", "show", "release-notes"]);
    assert_eq!((length(&show, "files"), length(&show, "mirrors")), (2, 5));
    for (document, pointer) in [(&list, "/skills/0/id"), (&list, "/schema"), (&show, "/mirrors/0/state")] {
        let mut wrong = document.clone();
        *wrong.pointer_mut(pointer).unwrap() = Value::Null;
        assert!(!schema.is_valid(&wrong), "{pointer}");
    }
}

/// The Markdown files that people read: at the top, in `docs`, and the pages of rules.
fn pages() -> Vec<PathBuf> {
    let files = |folder: &str, depth: usize| {
        walkdir::WalkDir::new(root().join(folder)).max_depth(depth).into_iter().map(|entry| entry.unwrap().into_path())
    };
    let all = files("", 1).chain(files("docs", 9)).chain(files("crates/lint/src", 9));
    all.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// The anchors of the headings of a page, as GitHub and mdBook make them.
fn anchors(text: &str) -> Vec<String> {
    let in_code = text.lines().scan(false, |in_code, line| {
        *in_code ^= line.trim_start().starts_with("```");
        Some((*in_code, line))
    });
    let headings = in_code.filter(|(in_code, line)| !in_code && line.starts_with('#')).map(|(_, line)| line);
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = text.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let mut broken = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            let (Event::Start(Tag::Link { dest_url, .. }) | Event::Start(Tag::Image { dest_url, .. })) = event else {
                continue;
            };
            if dest_url.contains("://") || dest_url.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = dest_url.split_once('#').unwrap_or((&dest_url, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            let has_anchor = || anchors(&std::fs::read_to_string(&target).unwrap()).iter().any(|known| known == anchor);
            if !target.exists() || !anchor.is_empty() && !has_anchor() {
                broken.push(format!("{}: {dest_url}", page.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Each picture is on a page, with a text for readers who do not see it.
#[test]
fn pictures_are_on_pages_and_have_a_text() {
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};
    let mut shown = BTreeSet::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let mut alternative = String::new();
        for event in Parser::new(&text) {
            match event {
                Event::Start(Tag::Image { dest_url, .. }) => {
                    alternative.clear();
                    shown.extend(Path::new(&*dest_url).file_name().map(|name| name.to_owned()));
                }
                Event::Text(text) => alternative.push_str(&text),
                Event::End(TagEnd::Image) => assert!(alternative.len() > 20, "{}: {alternative}", page.display()),
                _ => {}
            }
        }
    }
    let files = std::fs::read_dir(root().join("docs/pictures")).unwrap();
    let files: BTreeSet<_> = files.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, shown);
}

/// `docs/SUMMARY.md` is the table of contents of the site.
#[test]
fn the_site_has_every_page() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for page in pages() {
        let Ok(path) = page.strip_prefix(root().join("docs")) else { continue };
        let path = path.to_str().unwrap();
        assert!(path == "SUMMARY.md" || summary.contains(&format!("({path})")), "docs/SUMMARY.md lacks {path}");
    }
}

#[test]
fn the_help_of_import_lists_every_documented_source() {
    let page = std::fs::read_to_string(root().join("docs/how-to/import.md")).unwrap();
    let help = Repo::without_git().canonry(&["import", "--help"]).stdout;
    let sources: Vec<&str> = page.split("`--from ").skip(1).map(|rest| rest.split('`').next().unwrap()).collect();
    assert!(!sources.is_empty());
    for source in sources {
        assert!(help.contains(&format!("- {source}:")), "{source}: {help}");
    }
}
