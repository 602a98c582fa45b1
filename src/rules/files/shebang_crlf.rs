//! See `shebang_crlf.md`.

use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule, scripts};
use crate::syntax::Span;

pub(super) static RULE: Rule = Rule {
    id: "shebang-crlf",
    summary: "a shebang that ends in a carriage return",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("shebang_crlf.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    for text in &skill.texts {
        let Some(line) = scripts::shebang(text).and_then(|line| line.strip_suffix('\r')) else { continue };
        let program = line[2..].split_whitespace().last().unwrap_or_default();
        let place = Location::at(&text.source, Span::new(0, line.len()));
        let message = format!("the line ends in a carriage return: the system looks for a program `{program}\\r`");
        let help =
            "save the script with line endings of Unix, and write `*.sh text eol=lf` and its like into .gitattributes";
        findings.push(RawFinding::new(place, message).help(help));
    }
}
