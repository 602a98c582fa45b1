//! The restrictions of a canon that the tools in use do not enforce.

use crate::plain_repository::PlainRepository;
use canonry_agents::unenforced::{Unenforced, unenforced};
use canonry_model::config::ToolRow;
use canonry_repo::view::View;
use canonry_repo::view::tool_files::load_sources;

/// A part of the canon that a tool does not follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolLimit {
    /// The name in the config.
    pub tool: &'static str,
    /// Its behaviour instead, and the remedy.
    pub text: String,
}

/// Lists the restrictions that do not hold in a repository with a canon.
pub(super) fn examine(repository: &PlainRepository, view: &View, in_use: &[&'static ToolRow]) -> Vec<ToolLimit> {
    let PlainRepository { layout, config, .. } = repository;
    // `sync` and `check` report sources that cannot be read.
    let Ok(sources) = load_sources(view, layout, &config.files) else { return Vec::new() };
    let limit = |found: Unenforced| ToolLimit { tool: found.tool.id, text: found.text() };
    unenforced(layout, config, &sources, in_use).into_iter().map(limit).collect()
}
