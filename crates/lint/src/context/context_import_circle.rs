//! Part of `context-import`: context files import each other in a cycle.

use super::context_import::RULE;
use crate::Finding;
use canonry_model::canon::context_file::ContextFile;
use canonry_model::canon::imports::ImportError;
use canonry_model::finding::Location;

pub(super) fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
    for import in &file.imports {
        let ImportError::Cycle(files) = &import.error else { continue };
        let message = match files.as_slice() {
            [_, _] => format!("`@{}` imports its own file", import.path),
            files => {
                let files: Vec<String> = files.iter().map(ToString::to_string).collect();
                format!("`@{}` closes an import cycle: {}", import.path, files.join(" -> "))
            }
        };
        let help = "remove one of the imports, or write it in backticks; tools read each file once";
        findings.push(RULE.at(Location::at(&import.source, import.span), message).help(help));
    }
}
