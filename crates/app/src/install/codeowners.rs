//! The block in CODEOWNERS for skills and their mirrors.

use super::block_file::BlockFile;
use super::{InstallOutcome, InstallStep, IntegrationDetails, content_of_file, repository};
use crate::install_text::codeowners::{OwnedSkill, OwnerRule, PATHS, is_owner, lines, parse_rules, split_owners};
use crate::memory_files::read_document;
use crate::skill_catalog::SkillCatalog;
use crate::{Environment, Error, ErrorKind, Workspace};
use canonry_agents::block::BlockMarkers;
use canonry_model::config::pack::is_selected;
use canonry_repo::apply::standalone_file;
use canonry_repo::git::config::real;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_text::{RepoPath, frontmatter};
use std::path::{Path, PathBuf};

/// The files that exist, in the order of the hosts.
fn existing(top: &Path) -> Result<Vec<BlockFile>, Error> {
    let mut found = Vec::new();
    for name in PATHS {
        let path = top.join(name);
        let folder = path.parent().map(real).transpose();
        if !folder.is_ok_and(|folder| folder.is_some_and(|folder| folder.starts_with(top))) {
            continue;
        }
        if let Some(before) = content_of_file(name, standalone_file::read_path(&path)?)? {
            found.push(owners_file(path, name, Some(before)));
        }
    }
    Ok(found)
}

/// The file to change: the first that exists, otherwise a new one for the host that the repository is for.
fn file_to_change(workspace: &Workspace, top: &Path) -> Result<BlockFile, Error> {
    if let Some(file) = existing(top)?.into_iter().next() {
        return Ok(file);
    }
    let is_gitlab = [".gitlab-ci.yml", ".gitlab"]
        .iter()
        .any(|path| workspace.view.kind(&RepoPath::from(*path)) != canonry_repo::view::PathKind::Nothing);
    let name = if is_gitlab { ".gitlab/CODEOWNERS" } else { ".github/CODEOWNERS" };
    Ok(owners_file(top.join(name), name, None))
}

fn owners_file(path: PathBuf, name: &str, before: Option<Vec<u8>>) -> BlockFile {
    BlockFile { path, name: name.to_owned(), markers: BlockMarkers::Hash, before }
}

/// The skills with owners, and what is wrong with other owners.
fn owned_skills(workspace: &Workspace) -> Result<(Vec<OwnedSkill>, Vec<String>), Error> {
    let rules = parse_rules(&read_document(&workspace.view, &workspace.layout.skill_owners())?);
    let mut skills = Vec::new();
    let mut skipped = Vec::new();
    for skill in SkillCatalog::load(workspace)?.inventory.skills.iter().filter(|skill| skill.nested_in.is_none()) {
        let name = skill.path.file_name_lossy();
        let stated = owners_of(workspace, &skill.document.path, &name, &rules);
        let (owners, other): (Vec<String>, Vec<String>) = stated.into_iter().partition(|owner| is_owner(owner));
        skipped.extend(other.iter().map(|owner| {
            format!("`{owner}`, an owner of {name}, is not @user, @organisation/team or an email address")
        }));
        if owners.is_empty() {
            continue;
        }
        let mut folders = vec![workspace.view.full(&skill.path)];
        if !workspace.config.files.git.ignore {
            let targets = workspace.config.targets.iter().filter(|target| workspace.config.admits(&name, **target));
            folders
                .extend(targets.map(|target| workspace.view.full(&target.skills_root().join(skill.path.file_name()))));
        }
        skills.push(OwnedSkill { folders, owners });
    }
    Ok((skills, skipped))
}

/// The owners of a skill: those in its `metadata`, otherwise those of the last rule that matches.
fn owners_of(workspace: &Workspace, document: &RepoPath, name: &str, rules: &[OwnerRule]) -> Vec<String> {
    let own = || {
        let bytes = workspace.view.read(document, DOCUMENT_LIMIT).into_bytes()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        let root = frontmatter::root(text)?;
        let metadata = root.get("metadata")?;
        let node = metadata.get("owner").or_else(|| metadata.get("owners"))?;
        Some(split_owners(&node.as_scalar()?.text))
    };
    let by_rule = || rules.iter().rev().find(|rule| is_selected(&rule.pattern, name)).map(|rule| rule.owners.clone());
    own().filter(|owners| !owners.is_empty()).or_else(by_rule).unwrap_or_default()
}

pub(super) fn install(environment: &Environment, dry_run: bool) -> Result<InstallOutcome, Error> {
    let (_, top) = repository(environment)?;
    let workspace = Workspace::open_canon(environment)?;
    let (skills, skipped) = owned_skills(&workspace)?;
    if skills.is_empty() {
        let error = Error::new(ErrorKind::Unreadable, "no skill has an owner");
        let owners = workspace.layout.skill_owners();
        return Err(error.help(match skipped.first() {
            Some(reason) => reason.clone(),
            None => format!("set `owner: \"@organisation/team\"` in the `metadata` of skills, or write lines such as `deploy-* @organisation/team` into {owners}"),
        }));
    }
    let file = file_to_change(&workspace, &top)?;
    let change = file.insert(&lines(&skills))?;
    if !dry_run {
        file.write(&change)?;
    }
    let details = IntegrationDetails::Codeowners { skills: skills.len(), skipped };
    Ok(InstallOutcome { steps: vec![InstallStep::File(change)], details, conflict: None })
}

pub(super) fn uninstall(environment: &Environment, dry_run: bool) -> Result<InstallOutcome, Error> {
    let (_, top) = repository(environment)?;
    let mut steps = Vec::new();
    for file in existing(&top)? {
        let change = file.remove()?;
        if change.is_unchanged() {
            continue;
        }
        if !dry_run {
            file.write(&change)?;
        }
        steps.push(InstallStep::File(change));
    }
    let details = IntegrationDetails::Codeowners { skills: 0, skipped: Vec::new() };
    Ok(InstallOutcome { steps, details, conflict: None })
}
