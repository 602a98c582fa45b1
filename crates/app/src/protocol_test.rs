//! `protocol test`: a team's own table of commands with the verdict that each must have.

use super::protocol::find_repository;
use crate::{Environment, Error, ErrorKind};
use canonry_guard::{ToolCall, Verdict, evaluate};
use std::path::Path;

/// The result of a table.
#[derive(Debug)]
pub struct TestOutcome {
    /// The file, as given.
    pub file: String,
    /// The number of commands.
    pub count: usize,
    /// The commands with another verdict.
    pub failures: Vec<TestFailure>,
    /// Files of the protocols that cannot be read, and why.
    pub problems: Vec<String>,
}

/// A command with another verdict than the table says.
#[derive(Debug)]
pub struct TestFailure {
    /// The line in the table, from 1.
    pub line: usize,
    /// The command.
    pub command: String,
    /// The verdict in the table.
    pub expected: String,
    /// The verdict of the hook.
    pub actual: Verdict,
    /// The reasons for it.
    pub explanation: String,
}

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
struct TestRow {
    line: usize,
    command: String,
    expected: String,
}

/// Compares the verdict on each command of a table with the one it must have.
///
/// # Errors
/// The table cannot be read or has an invalid row; no repository, no canon, or an invalid config.
pub fn test(environment: &Environment, file: &Path) -> Result<TestOutcome, Error> {
    let shown = file.display().to_string();
    let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
    let text = std::fs::read_to_string(environment.cwd.join(file)).map_err(|e| unreadable(format!("{shown}: {e}")))?;
    let rows = parse_rows(&text).map_err(|(line, message)| {
        unreadable(format!("{shown}:{line}: {message}")).help(
            "write one command per line as VERDICT<TAB>COMMAND; the verdict is allow, unlisted, ask, deny or pass",
        )
    })?;
    let repository = find_repository(environment)?;
    let context = repository.call_context(&environment.cwd, environment.home.as_deref());
    let mut policy = repository.policy();
    repository.add_constraints(&mut policy);
    let failure = |row: &TestRow| {
        let call = ToolCall::Shell { command: row.command.clone(), cwd: None };
        let verdict = evaluate(&call, &policy, &context);
        (!is_expected(&row.expected, verdict.verdict)).then(|| TestFailure {
            line: row.line,
            command: row.command.clone(),
            expected: row.expected.clone(),
            actual: verdict.verdict,
            explanation: verdict.explanation(),
        })
    };
    let failures = rows.iter().filter_map(failure).collect();
    Ok(TestOutcome { file: shown, count: rows.len(), failures, problems: policy.problems() })
}

fn is_verdict(text: &str) -> bool {
    matches!(text, "allow" | "unlisted" | "ask" | "deny" | "pass")
}

fn is_expected(expected: &str, actual: Verdict) -> bool {
    match expected {
        "pass" => actual < Verdict::Ask,
        expected => actual.as_str() == expected,
    }
}

/// `VERDICT<TAB>COMMAND`; `\n` in a command is a line break. Empty lines and lines starting with `#` are skipped.
/// An error is a line and what is wrong with it.
fn parse_rows(text: &str) -> Result<Vec<TestRow>, (usize, String)> {
    let mut rows = Vec::new();
    for (at, row) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#')) {
        let line = at + 1;
        let Some((expected, command)) = row.split_once('\t') else {
            return Err((line, "expected a verdict, a tab and a command".to_owned()));
        };
        let expected = expected.trim().to_owned();
        if !is_verdict(&expected) {
            return Err((line, format!("`{expected}` is not a verdict")));
        }
        rows.push(TestRow { line, command: command.replace("\\n", "\n"), expected });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_a_command_per_line() {
        let row =
            |line, expected: &str, command: &str| TestRow { line, command: command.into(), expected: expected.into() };
        let table = "# table\nask\tgit push\n\ndeny\trm -rf /\\nls\n";
        assert_eq!(parse_rows(table).unwrap(), [row(2, "ask", "git push"), row(4, "deny", "rm -rf /\nls")]);
        for (text, line) in [("ask git push", 1), ("ask\tls\nmaybe\tls", 2)] {
            assert_eq!(parse_rows(text).unwrap_err().0, line, "{text}");
        }
    }
}
