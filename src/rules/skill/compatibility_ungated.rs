//! See `compatibility_ungated.md`.

use crate::config::Target;
use crate::finding::{Location, RawFinding, Severity};
use crate::mirror::document::declared_targets;
use crate::rules::{Check, ConfiguredSkill, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "compatibility-ungated",
    summary: "`compatibility` names one tool, and the skill goes to others too",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("compatibility_ungated.md"),
    check: Check::ConfiguredSkill(check),
};

/// The products as their makers call them.
const PRODUCTS: [(&str, Target); 5] = [
    ("Claude Code", Target::Claude),
    ("Gemini CLI", Target::Gemini),
    ("Cursor", Target::Cursor),
    ("Codex", Target::Codex),
    ("Antigravity", Target::Antigravity),
];

/// How a sentence begins that means one tool and no other.
const BEGINNINGS: [&str; 2] = ["Requires ", "Designed for "];

fn check(ConfiguredSkill { skill, config }: &ConfiguredSkill<'_>, findings: &mut RawFindings) {
    let (Some(source), Some((text, span))) = (skill.source(), skill.text_field("compatibility")) else { return };
    let Some((product, target)) = only_product(text) else { return };
    // `.agents/skills` is read by several tools.
    let others: Vec<&str> = config.targets.iter().filter(|other| **other != target).map(|other| other.name()).collect();
    if others.is_empty() || declared_targets(source.text()).is_some() {
        return;
    }
    let message = format!("this names {product} alone, and the skill is mirrored to {} too", others.join(", "));
    let help = format!(
        "where no other tool can use it, say `canonry-targets: {0}` below `metadata`, or `targets: [{0}]` below `skills` in the config",
        target.name()
    );
    findings.push(RawFinding::new(Location::at(source, span), message).help(help));
}

/// The one product that a text names right at its beginning.
fn only_product(text: &str) -> Option<(&'static str, Target)> {
    let rest = BEGINNINGS.iter().find_map(|beginning| text.trim_start().strip_prefix(beginning))?;
    let (product, target) = PRODUCTS.into_iter().find(|(product, _)| rest.starts_with(product))?;
    let ends = rest[product.len()..].chars().next().is_none_or(|next| !next.is_alphanumeric());
    let alone = PRODUCTS.iter().filter(|(product, _)| text.contains(product)).count() == 1;
    (ends && alone).then_some((product, target))
}
