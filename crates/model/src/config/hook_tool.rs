//! The tools of the table that have hooks.

use super::files::ToolFilesConfig;
use crate::tools::TOOLS;
use crate::tools::{HookRow, ToolRow};
use clap::builder::PossibleValue;
use std::sync::LazyLock;

/// A tool that has hooks.
#[derive(Clone, Copy, Debug)]
pub struct HookTool {
    pub row: &'static ToolRow,
    pub hooks: &'static HookRow,
}

static HOOK_TOOLS: LazyLock<Vec<HookTool>> =
    LazyLock::new(|| TOOLS.iter().filter_map(|row| Some(HookTool { row, hooks: row.hooks.as_ref()? })).collect());

impl HookTool {
    /// Every tool that has hooks, in the order of the table.
    pub fn all() -> &'static [Self] {
        &HOOK_TOOLS
    }

    /// The tool with this id.
    pub fn find(id: &str) -> Option<Self> {
        Self::all().iter().copied().find(|tool| tool.row.id == id)
    }

    /// Whether the config asks for canonry's hooks.
    pub fn is_on(self, files: &ToolFilesConfig) -> bool {
        files.tool(self.row.id).hooks
    }
}

impl clap::ValueEnum for HookTool {
    fn value_variants<'a>() -> &'a [Self] {
        Self::all()
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.row.id))
    }
}
