//! Part of `tool-file-schema`: key that occurs twice in the file of a tool.

use crate::RawFindings;
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::finding::{Location, RawFinding};

pub(super) fn check(file: &ToolFile, findings: &mut RawFindings) {
    let Ok(source) = &file.document else { return };
    for duplicate in &file.duplicates {
        let message = format!("the key `{}` occurs twice, so one of its values does not count", duplicate.key);
        let finding = RawFinding::new(Location::at(source, duplicate.span), message)
            .help("remove one of them, or give it another name: most parsers keep the last, and some refuse the file");
        findings.push(finding.related(Location::at(source, duplicate.first), "first defined here"));
    }
}
