//! See `script_without_shebang.md`.

use crate::canon::FileMode;
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::scripts::{self, Language};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "script-without-shebang",
    summary: "an executable script without a shebang",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("script_without_shebang.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    for text in skill.texts.iter().filter(|text| text.mode == FileMode::Executable) {
        if scripts::shebang(text).is_some() {
            continue;
        }
        let Some(line) = scripts::language(text).and_then(wanted) else { continue };
        let message =
            "the script is executable, but has no shebang: the shell that starts it takes it for its own language";
        let help = format!("begin it with `{line}`, or take away the right to execute it");
        findings.push(RawFinding::new(Location::file(text.source.path()), message).help(help));
    }
}

/// The usual first line; languages of Windows have none.
fn wanted(language: Language) -> Option<&'static str> {
    Some(match language {
        Language::Shell => "#!/bin/sh",
        Language::Python => "#!/usr/bin/env python3",
        Language::JavaScript => "#!/usr/bin/env node",
        Language::Ruby => "#!/usr/bin/env ruby",
        Language::Perl => "#!/usr/bin/env perl",
        Language::PowerShell | Language::Batch | Language::Other => return None,
    })
}
