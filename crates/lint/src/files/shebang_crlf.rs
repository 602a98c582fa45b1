//! See `shebang_crlf.md`.

use crate::scripts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::script::{ScriptLanguage, shebang};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;

pub(super) static RULE: Rule = Rule {
    id: "shebang-crlf",
    summary: "shebang line ends with a carriage return",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("shebang_crlf.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    for text in &skill.texts {
        let Some(line) = shebang(text.source.text()).and_then(|line| line.strip_suffix('\r')) else { continue };
        // Interpreters other than shells accept carriage returns, and they do not read the shebang.
        let is_shell = scripts::language(text) == Some(ScriptLanguage::Shell);
        if !is_shell && !scripts::is_started_by_command(skill, text) {
            continue;
        }
        let program = line[2..].split_whitespace().last().unwrap_or_default();
        let location = Location::at(&text.source, Span::new(0, line.len()));
        let message =
            format!("the shebang ends with a carriage return, so the system looks for a program `{program}\\r`");
        let help = "save the script with LF line endings, and add a line such as `*.sh text eol=lf` to .gitattributes";
        findings.push(RULE.at(location, message).help(help));
    }
}
