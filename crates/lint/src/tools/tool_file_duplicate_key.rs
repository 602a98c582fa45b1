//! Part of `tool-file-schema`: key that occurs twice in the file of a tool.

use super::tool_file_schema::RULE;
use crate::Finding;
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::finding::Location;

pub(super) fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    for duplicate in &file.duplicates {
        let message = format!("the key `{}` occurs twice, so one of its values does not count", duplicate.key);
        let finding = RULE
            .at(Location::at(source, duplicate.span), message)
            .help("remove one of them, or give it another name: most parsers keep the last, and some refuse the file");
        findings.push(finding.related(Location::at(source, duplicate.first), "first defined here"));
    }
}
