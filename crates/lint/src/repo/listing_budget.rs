//! See `listing_budget.md`.

use crate::repo_facts::{RepoFacts, SkillSummary};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::config::{TOOLS, Target, ToolRow};
use canonry_model::finding::{Location, Severity};
use canonry_model::tools::skill_listing::{ListedSkill, ListingOverflow, SkillListing, joined_length};
use canonry_text::RepoPath;

pub(super) static RULE: Rule = Rule {
    id: "listing-budget",
    summary: "descriptions exceed the space in which a tool lists skills",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("listing_budget.md"),
    check: Check::Repo(check),
};

/// The number of descriptions to point out.
const SHOWN: usize = 3;

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    for (tool, listing) in TOOLS.iter().filter_map(|tool| Some((tool, tool.listing?))) {
        if let Some(canon) = repo.canon.as_ref() {
            let is_read = |target: &&Target| tool.skill_folders().any(|folder| folder == target.mirror());
            let read: Vec<Target> = canon.targets.iter().filter(is_read).copied().collect();
            let is_listed = |skill: &&SkillSummary| {
                let name = skill.folder.file_name_lossy();
                read.iter().any(|target| canon.config.admits(&name, *target))
            };
            findings.extend(finding(tool, &listing, repo.skills.iter().filter(is_listed), &canon.skills));
        }
        for folder in tool.skill_folders().map(RepoPath::from) {
            let inside = repo.other_skills.iter().filter(|skill| skill.folder.is_within(&folder));
            findings.extend(finding(tool, &listing, inside, &folder));
        }
    }
}

/// A description, and what the tool lists of it.
struct Description<'a> {
    name: String,
    length: usize,
    location: &'a Location,
}

fn finding<'a>(
    tool: &ToolRow,
    listing: &SkillListing,
    skills: impl Iterator<Item = &'a SkillSummary>,
    folder: &RepoPath,
) -> Option<Finding> {
    let reads = |key| tool.keys.contains(&key);
    let described = |skill: &'a SkillSummary| {
        let (text, location) = skill.description.as_ref()?;
        let when_to_use = skill.when_to_use.as_deref().filter(|_| reads("when_to_use"));
        Some(Description { name: skill.shown_name(), length: joined_length(text, when_to_use), location })
    };
    // Claude Code does not list skills that only a person starts (2.1.330).
    let skills = skills.filter(|skill| !(skill.is_manual && reads("disable-model-invocation")));
    let mut all: Vec<Description<'_>> = skills.filter_map(described).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let lengths: Vec<ListedSkill> =
        all.iter().map(|skill| ListedSkill { name: skill.name.chars().count(), description: skill.length }).collect();
    let listed = listing.listed(&lengths);
    let partial: Vec<(&Description<'_>, usize)> =
        all.iter().zip(listed).filter(|(skill, listed)| *listed < skill.length).collect();
    if partial.is_empty() {
        return None;
    }
    let does = match listing.overflow {
        ListingOverflow::LeavesOut => "leaves out",
        ListingOverflow::Cuts => "cuts",
    };
    let message = format!(
        "{} {does} the descriptions of {} of {} skills: all skills together get {} characters {}",
        tool.name,
        partial.len(),
        all.len(),
        listing.characters,
        listing.condition
    );
    let finding = RULE
        .at(Location::file(folder), message)
        .help("shorten the longest descriptions, or merge skills that belong together");
    Some(partial.into_iter().take(SHOWN).fold(finding, |finding, (skill, listed)| {
        finding.related(skill.location.clone(), format!("{listed} of {} characters are listed", skill.length))
    }))
}
