//! Imports the files that other tools keep for agents. Produces edits that only add files to the canon, and a
//! report of what is imported, skipped and refused. Pure.

mod agentic_stack;
mod audience;
mod config_sections;
mod copies;
mod detected_tools;
mod formats;
mod generated_config;
mod hooks;
mod ignore_files;
mod jdi;
mod leftovers;
mod other_settings;
mod permissions;
mod plan;
mod policies;
mod prompts;
mod quoting;
mod resolve;
mod result;
mod ruler;
mod rulesync;
mod secrets;
mod server;
mod servers;
mod skills;
mod source;
mod source_kind;
mod subagents;
mod tool_permissions;
mod tool_servers;
mod tools;
mod trellis;
mod workflow_files;

pub use config_sections::ConfigSections;
pub use leftovers::is_tool_file;
pub use result::{GeneratedConfig, ImportRefusal, ImportResult, ImportedItem, SkippedItem};
pub use source::ImportSource;
pub use source_kind::{SourceKind, is_workflow_of_another_program};
pub use tools::OTHER_SKILLS;

use plan::ImportPlan;

/// Plans the import of one kind of source.
pub fn import(kind: SourceKind, source: &ImportSource<'_>) -> ImportResult {
    let mut plan = ImportPlan::new(source);
    match kind {
        SourceKind::Rulesync => rulesync::import(&mut plan),
        SourceKind::Ruler => ruler::import(&mut plan),
        SourceKind::Trellis => trellis::import(&mut plan),
        SourceKind::AgenticStack => agentic_stack::import(&mut plan),
        SourceKind::Jdi => jdi::import(&mut plan),
        SourceKind::Tools => tools::import(&mut plan),
    }
    if matches!(kind, SourceKind::Rulesync | SourceKind::Ruler) {
        plan.next_steps.extend(tools::generated_files_step(source, kind.name()));
        leftovers::report(&mut plan, &tools::PATHS);
    }
    if kind == SourceKind::Tools {
        // The folders of other sources are imported by themselves.
        let others = SourceKind::ALL.into_iter().filter(|kind| kind.generates_tool_files());
        let others = others.filter_map(|kind| kind.paths().first().copied());
        leftovers::report(&mut plan, &tools::PATHS.iter().copied().chain(others).collect::<Vec<_>>());
    }
    resolve::resolve(plan, kind)
}
