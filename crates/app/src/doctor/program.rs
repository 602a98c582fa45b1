//! Finds the programs of tools, and their versions.

use crate::Environment;
use canonry_repo::exec;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum time for a program to print its version.
const LIMIT: Duration = Duration::from_secs(10);
/// The longest version that is shown, in characters.
const MAX_VERSION_CHARS: usize = 40;

/// A tool on this computer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolProgram {
    /// None of its programs is on PATH.
    Missing,
    /// One of its programs is on PATH.
    Found {
        /// The file.
        path: PathBuf,
        /// Version that it prints, if any.
        version: Option<String>,
    },
}

/// Looks for each tool at the same time, by the names of its programs.
pub(super) fn find_all(
    environment: &Environment,
    tools: impl Iterator<Item = &'static [&'static str]>,
) -> Vec<ToolProgram> {
    std::thread::scope(|scope| {
        let searches: Vec<_> = tools.map(|names| scope.spawn(move || find(environment, names))).collect();
        searches.into_iter().map(|search| search.join().unwrap_or(ToolProgram::Missing)).collect()
    })
}

fn find(environment: &Environment, names: &[&str]) -> ToolProgram {
    let Some(path) = names.iter().find_map(|name| environment.program(name)) else { return ToolProgram::Missing };
    // In the root folder, a tool reads no settings of a repository.
    let output = exec::run_briefly(&path, &["--version"], Path::new("/"), LIMIT).ok().flatten();
    ToolProgram::Found { version: output.as_deref().and_then(version), path }
}

/// The first word of the output that is a number with dots, such as `2.1.330` in `2.1.330 (Claude Code)`.
fn version(output: &str) -> Option<String> {
    let words = output.split_whitespace().map(|word| word.trim_start_matches('v'));
    let mut versions = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'));
    let version = versions.next()?.chars().filter(char::is_ascii_graphic).take(MAX_VERSION_CHARS);
    Some(version.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_first_number_with_dots() {
        for (output, want) in [
            ("2.1.330 (Claude Code)\n", Some("2.1.330")),
            ("codex-cli 0.169.0\n", Some("0.169.0")),
            ("0.61.0\n", Some("0.61.0")),
            ("warning: 3 settings\nv1.1.26\n", Some("1.1.26")),
            ("2026.07.23-e383d2b\n", Some("2026.07.23-e383d2b")),
            ("usage: tool\n", None),
            ("", None),
        ] {
            assert_eq!(version(output).as_deref(), want, "{output:?}");
        }
    }
}
