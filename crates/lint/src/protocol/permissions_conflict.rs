//! See `permissions_conflict.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::page::{Page, PageKind};
use canonry_model::canon::permissions::PermissionSection;
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;
use canonry_text::sections::ListItem;
use std::collections::HashMap;

pub(super) static RULE: Rule = Rule {
    id: "permissions-conflict",
    summary: "same entry in two sections of the permissions",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("permissions_conflict.md"),
    check: Check::Page(check),
};

fn check(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Permissions) else { return };
    let source = &document.source;
    let mut known: HashMap<String, (PermissionSection, Span)> = HashMap::new();
    let parts = document
        .sections
        .iter()
        .filter_map(|section| Some((PermissionSection::from_section(section)?, &section.items)));
    // An approved domain may also be part of a forbidden action.
    for (part, items) in parts.filter(|(part, _)| *part != PermissionSection::Domains) {
        for (item, entry) in items.iter().flat_map(|item| entries(item).into_iter().map(move |entry| (item, entry))) {
            match known.get(&entry) {
                Some((other, first)) if *other != part => {
                    let message = format!("{entry} is listed under both \"{}\" and \"{}\"", other.name(), part.name());
                    let finding = RULE.at(Location::at(source, item.span), message);
                    let finding =
                        finding.related(Location::at(source, *first), format!("listed under {} here", other.name()));
                    findings.push(finding.help("keep the stricter one; if both are intended, state when each applies"));
                }
                Some(_) => {}
                None => {
                    known.insert(entry, (part, item.span));
                }
            }
        }
    }
}

/// The entries of an item: each command of a plain list, or else the whole item.
fn entries(item: &ListItem) -> Vec<String> {
    let mut pieces = item.text.split('`');
    let mut words = String::new();
    let mut commands = Vec::new();
    while let Some(outside) = pieces.next() {
        words.push_str(outside);
        words.push(' ');
        commands.extend(pieces.next().map(|command| format!("`{}`", command.trim())));
    }
    let is_list = words.split([' ', ',', ';', '/', '.', '\n']).all(|word| matches!(word, "" | "and" | "or"));
    if is_list && !commands.is_empty() {
        return commands;
    }
    let plain: Vec<&str> = item.text.split_whitespace().collect();
    let plain = plain.join(" ").to_lowercase();
    let plain = plain.trim_end_matches(['.', ';', ',']);
    if plain.is_empty() || matches!(plain, "none" | "nothing" | "n/a" | "-" | "…" | "...") {
        return Vec::new();
    }
    vec![format!("\"{plain}\"")]
}
