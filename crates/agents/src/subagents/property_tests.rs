//! Properties of the formats: no tool gets a subagent that may do more than the canon's, and neither does the canon.

use super::*;
use crate::request::ToolFileSources;
use canonry_model::canon::Layout;
use canonry_model::config::files::ToolSwitches;
use canonry_model::config::{HookFailMode, ToolFilesConfig};
use canonry_model::tools::agent_tools::by_claude_name;
use canonry_text::{frontmatter, yaml};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

fn root(format: SubagentFormat, text: &str) -> canonry_text::node::Node {
    if format == SubagentFormat::CodexToml {
        return toml::parse(text).unwrap();
    }
    let parts = frontmatter::split(text).unwrap();
    yaml::parse(&text[parts.yaml.range()], 0).unwrap().root
}

/// Whether a subagent may use no tool that the other may not. Tools that only read are one kind.
fn is_within(found: &SubagentLimits, canon: &SubagentLimits) -> bool {
    let only_reads = |tool: &String| by_claude_name(tool).is_some_and(|tool| tool.only_reads());
    let is_allowed = |tool: &String| {
        let is_listed = |tools: &Vec<String>| tools.contains(tool) || only_reads(tool) && tools.iter().any(only_reads);
        canon.tools.as_ref().is_none_or(is_listed)
            && !canon.denied_tools.contains(tool)
            && (!canon.is_read_only || only_reads(tool))
    };
    match &found.tools {
        Some(tools) => tools.iter().all(is_allowed),
        None if found.is_read_only => canon.is_open() || canon.only_reads(),
        None => {
            canon.tools.is_none()
                && !canon.is_read_only
                && canon.denied_tools.iter().all(|tool| found.denied_tools.contains(tool))
        }
    }
}

proptest! {
    #[test]
    fn no_subagent_gets_wider(
        tools in proptest::option::of(subsequence(vec!["Read", "Grep", "Bash", "Edit", "Write", "mcp__db__query"], 1..5)),
        denied in subsequence(vec!["Bash", "Edit", "Read"], 0..2),
        mode in proptest::option::of(select(vec!["plan", "acceptEdits"])),
    ) {
        let mut header = "name: a\ndescription: D.\n".to_owned();
        header.extend(tools.map(|tools| format!("tools: {}\n", tools.join(", "))));
        header.extend((!denied.is_empty()).then(|| format!("disallowedTools: {}\n", denied.join(", "))));
        header.extend(mode.map(|mode| format!("permissionMode: {mode}\n")));
        let text = format!("---\n{header}---\nBody.\n");
        let canon = file_limits(SubagentFormat::Claude, &text);
        let layout = Layout::default();
        let mut sources = ToolFileSources::default();
        sources.add(layout.subagents().join("a.md"), Ok(text.clone().into_bytes()));
        let on = ToolSwitches { subagents: true, ..ToolSwitches::default() };
        let readers: Vec<SubagentTool> = TOOLS.iter().filter_map(SubagentTool::from_row).collect();
        let tools = readers.iter().map(|reader| (reader.row.id.to_owned(), on));
        let files = ToolFilesConfig { tools: tools.collect(), ..ToolFilesConfig::default() };
        let mut desired = DesiredToolFiles::default();
        add(
            &ToolFileRequest {
                layout: &layout,
                files: &files,
                targets: &[],
                mirrors: &[],
                sources: &sources,
                available_skills: None,
                hook_failure: HookFailMode::Open,
            },
            &mut desired,
        );
        for reader in readers {
            let file = desired.generated.iter().find(|file| file.path.is_within(&RepoPath::from(reader.folder)));
            let Some(file) = file else { continue };
            let written = file.text.as_deref().unwrap_or(&text);
            let Ok(found) = ToolSubagent::parse(reader.format, &root(reader.format, written)) else {
                // Where the name of a server of Gemini CLI ends is unknown.
                prop_assert!(reader.format == SubagentFormat::Gemini && written.contains("mcp_"), "{}", written);
                continue;
            };
            let own: &[&str] = if reader.format == SubagentFormat::OpenCode { &["mode"] } else { &[] };
            prop_assert_eq!(&found.lost, own);
            if reader.format == SubagentFormat::Claude {
                prop_assert_eq!(&found.limits, &canon);
            } else {
                prop_assert!(is_within(&found.limits, &canon), "{}: {}", reader.row.id, written);
            }
        }
    }
}
