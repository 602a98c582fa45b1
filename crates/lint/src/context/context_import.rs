//! See `context_import.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::context_file::ContextFile;
use canonry_model::canon::imports::ImportError;
use canonry_model::finding::{Location, Severity};
use canonry_text::PathEscape;

pub(super) static RULE: Rule = Rule {
    id: "context-import",
    summary: "import of a context file that the tool does not follow",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("context_import.md"),
    check: Check::Each(&[
        Check::Context(check),
        Check::Context(check_cycles),
        Check::Context(check_depth),
        Check::At(Defaults::both(Severity::Info), &Check::Context(check_outside)),
    ]),
};

fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
    for import in &file.imports {
        let ImportError::Missing { at_top } = import.error else { continue };
        let message = format!("imported file `@{}` does not exist", import.path);
        findings.push(RULE.at(Location::at(&import.source, import.span), message).help(if at_top {
            "the path is relative to the directory of this file, not to the repository root"
        } else {
            "add the file or correct the path; write it in backticks if it is not an import"
        }));
    }
}

/// Context files import each other in a cycle.
fn check_cycles(file: &ContextFile, findings: &mut Vec<Finding>) {
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

/// Import chain is longer than the tool follows.
fn check_depth(file: &ContextFile, findings: &mut Vec<Finding>) {
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

/// Import of a file outside the repository.
fn check_outside(file: &ContextFile, findings: &mut Vec<Finding>) {
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
