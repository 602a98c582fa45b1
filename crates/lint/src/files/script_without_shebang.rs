//! See `script_without_shebang.md`.

use crate::scripts::{self, Language};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::FileMode;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "script-without-shebang",
    summary: "executable script without a shebang",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("script_without_shebang.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    for text in skill.texts.iter().filter(|text| text.mode == FileMode::Executable) {
        if scripts::shebang(text).is_some() || !scripts::is_started_by_command(skill, text) {
            continue;
        }
        let Some(line) = scripts::language(text).and_then(usual_shebang) else { continue };
        let message = "the script is executable, but has no shebang, so a shell runs it as a shell script";
        let help = format!("add `{line}` as the first line, or make the file non-executable");
        findings.push(RULE.at(Location::file(text.source.path()), message).help(help));
    }
}

/// The usual shebang; languages of Windows have none.
fn usual_shebang(language: Language) -> Option<&'static str> {
    Some(match language {
        Language::Shell => "#!/bin/sh",
        Language::Python => "#!/usr/bin/env python3",
        Language::JavaScript => "#!/usr/bin/env node",
        Language::Ruby => "#!/usr/bin/env ruby",
        Language::Perl => "#!/usr/bin/env perl",
        Language::PowerShell | Language::Batch | Language::Other => return None,
    })
}
