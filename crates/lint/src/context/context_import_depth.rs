//! Part of `context-import`: import chain is longer than the tool follows.

use super::context_import::RULE;
use crate::Finding;
use canonry_model::canon::context_file::ContextFile;
use canonry_model::canon::imports::ImportError;
use canonry_model::finding::Location;

pub(super) fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
    let Some(reader) = file.kind.importing_tool() else { return };
    for import in &file.imports {
        let ImportError::TooDeep { hops } = import.error else { continue };
        let message = format!(
            "`@{}` is at depth {hops} of the imports from {}, but {} follows only {}",
            import.path, file.path, reader.tool, reader.hops
        );
        let help = format!("import the file from {} itself, or from a file closer to it", file.path);
        findings.push(RULE.at(Location::at(&import.source, import.span), message).help(help));
    }
}
