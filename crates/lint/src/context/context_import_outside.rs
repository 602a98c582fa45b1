//! Part of `context-import`: import of a file outside the repository.

use super::context_import::RULE;
use crate::Finding;
use canonry_model::canon::context_file::ContextFile;
use canonry_model::canon::imports::ImportError;
use canonry_model::finding::Location;
use canonry_text::PathEscape;

pub(super) fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
    for import in &file.imports {
        let ImportError::Outside(outside) = &import.error else { continue };
        let place = match outside {
            PathEscape::Home => "is in a home directory",
            PathEscape::Absolute => "is an absolute path",
            PathEscape::Climbs => "is outside the repository",
        };
        let message = format!("`@{}` {place}, which other clones do not have", import.path);
        let help = "move shared instructions into the repository, and personal ones into a git-ignored file";
        findings.push(RULE.at(Location::at(&import.source, import.span), message).help(help));
    }
}
