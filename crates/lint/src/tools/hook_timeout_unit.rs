//! See `hook_timeout_unit.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::canon::tool_file::hooks::events;
use canonry_model::finding::{Location, Severity};
use canonry_model::tools::hook_form::TimeUnit;

pub(super) static RULE: Rule = Rule {
    id: "hook-timeout-unit",
    summary: "timeout of a hook is in the wrong unit",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("hook_timeout_unit.md"),
    check: Check::ToolFile(check),
};

/// Below this many milliseconds, most programs have not even started.
const SHORTEST_MILLISECONDS: f64 = 300.0;
/// From this many seconds on, a multiple of 1000 is meant to be milliseconds. An hour, 3600, is no multiple.
const LONGEST_SECONDS: f64 = 1000.0;

fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    for event in events(file) {
        for (node, timeout) in event.timeouts().filter_map(|node| Some((node, node.as_f64()?))) {
            let reader = file.kind.reader_name();
            let is_in_milliseconds = event.form.unit == TimeUnit::Milliseconds;
            let (message, help) = if is_in_milliseconds && timeout > 0.0 && timeout < SHORTEST_MILLISECONDS {
                (
                    format!("{reader} counts timeouts in milliseconds, so the hook is stopped after {timeout} ms"),
                    format!("write {} for {timeout} seconds", timeout * 1000.0),
                )
            } else if !is_in_milliseconds && timeout >= LONGEST_SECONDS && timeout % 1000.0 == 0.0 {
                (
                    format!(
                        "{reader} counts timeouts in seconds, so the hook may run for {:.0} minutes",
                        timeout / 60.0
                    ),
                    format!("write {} for {} seconds", timeout / 1000.0, timeout / 1000.0),
                )
            } else {
                continue;
            };
            findings.push(RULE.at(Location::at(source, node.span), message).help(help));
        }
    }
}
