//! `canonry skills show`

use super::listing::Listing;
use super::needs::Needs;
use crate::app::Workspace;
use crate::app::sync::state::SyncState;
use crate::app::{Error, ErrorKind};
use crate::apply::unfinished;
use crate::canon::Blob;
use crate::canon::inventory::SkillFolder;
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::config::{Target, closest_match};
use crate::edit::OverwriteMode;
use crate::mirror::SyncPlan;
use crate::registry::ManifestEntry;
use crate::render::json;
use crate::syntax::{RepoPath, frontmatter};
use crate::view::PathKind;
use crate::view::load::DOCUMENT_LIMIT;
use serde::Serialize;

/// Show the path, frontmatter, files and mirrors of a skill
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name of the skill or of its directory
    #[arg(value_name = "NAME")]
    name: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    #[serde(flatten)]
    card: &'a ManifestEntry,
    frontmatter: String,
    files: Vec<String>,
    missing: Vec<String>,
    mirrors: Vec<Mirror>,
}

/// A mirror of a skill.
#[derive(Serialize)]
struct Mirror {
    target: &'static str,
    path: String,
    /// `in step`, or what keeps it from that.
    state: String,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`]; also where there is no such skill.
pub(super) fn run(args: &Args, context: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let listing = Listing::see(context)?;
    let cards = listing.cards(context);
    let folder_of = |card: &ManifestEntry| {
        listing.inventory.skills.iter().find(|skill| skill.document.path.to_display() == card.path)
    };
    let by_folder =
        |card: &&ManifestEntry| folder_of(card).is_some_and(|skill| skill.path.file_name_lossy() == args.name);
    let card = cards.iter().find(|card| card.name == args.name).or_else(|| cards.iter().find(by_folder));
    let Some((card, skill)) = card.and_then(|card| Some((card, folder_of(card)?))) else {
        return Err(unknown(args, &cards, &listing));
    };
    let seen = SyncState::load(context, &context.view, unfinished(&context.git_dir()?))?;
    let decision = seen.plan(OverwriteMode::OwnedOnly);
    let document = Document {
        schema: "canonry/skill/v1",
        card,
        frontmatter: front(context, skill),
        files: skill.files.iter().map(|file| file.path.to_display()).collect(),
        missing: Needs::of(context).missing(&card.preconditions),
        mirrors: mirrors(context, skill, &seen, &decision),
    };
    match args.format {
        Format::Json => out.result(&json::to_text(&document)),
        Format::Human => out.result(&document.in_words()),
    }
    Ok(Status::Done)
}

fn unknown(args: &Args, cards: &[ManifestEntry], listing: &Listing) -> Error {
    let is_there = listing.inventory.skills.iter().find(|skill| skill.path.file_name_lossy() == args.name);
    if let Some(skill) = is_there {
        let message = format!("{}: no tool could read this skill", skill.document.path);
        return Error::new(ErrorKind::Unreadable, message).help("`canonry check` says what is wrong");
    }
    let error = Error::new(ErrorKind::Unreadable, format!("there is no skill `{}`", args.name));
    match closest_match(&args.name, cards.iter().map(|card| card.name.as_str())) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("`canonry skills list` names them"),
    }
}

fn front(context: &Workspace, skill: &SkillFolder) -> String {
    let Blob::Bytes(bytes) = context.view.read(&skill.document.path, DOCUMENT_LIMIT) else { return String::new() };
    let text = String::from_utf8_lossy(&bytes);
    frontmatter::split(&text).map_or_else(|_| String::new(), |fences| text[fences.yaml.range()].to_owned())
}

fn mirrors(context: &Workspace, skill: &SkillFolder, seen: &SyncState, decision: &SyncPlan) -> Vec<Mirror> {
    let mirror = |target: &Target| {
        let path = target.skills_root().join(skill.path.file_name());
        Mirror { target: target.name(), state: state(context, &path, seen, decision), path: path.to_display() }
    };
    context.config.targets.iter().map(mirror).collect()
}

fn state(context: &Workspace, mirror: &RepoPath, seen: &SyncState, decision: &SyncPlan) -> String {
    let refused =
        decision.refused.iter().find(|refusal| refusal.path.is_within(mirror) || mirror.is_within(&refusal.path));
    if let Some(refusal) = refused {
        return format!("{}: {}", refusal.path, refusal.reason);
    }
    let changes = decision.edits.iter().any(|edit| edit.path().is_within(mirror));
    let stands = context.view.kind(mirror) != PathKind::Nothing;
    let wanted = seen.survey.desired.files.iter().any(|want| want.path.is_within(mirror));
    match (changes, stands, wanted) {
        (true, true, _) => "not in step; run `canonry sync`".to_owned(),
        (true, false, _) => "not written yet; run `canonry sync`".to_owned(),
        (false, true, true) => "in step".to_owned(),
        (false, true, false) => "not canonry's".to_owned(),
        (false, false, _) => "left out, by what the config or the skill says".to_owned(),
    }
}

impl Document<'_> {
    fn in_words(&self) -> String {
        let Self { card, files, mirrors, missing, frontmatter, schema: _ } = self;
        let mut text = format!("{}\n---\n{frontmatter}---\n", card.path);
        text.push_str(&format!("content   {}\n", card.id));
        let folder = card.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let below = |file: &String| file.strip_prefix(folder).unwrap_or(file).trim_start_matches('/').to_owned();
        text.extend(files.iter().map(|file| format!("file      {}\n", below(file))));
        text.extend(missing.iter().map(|missing| format!("not ready {missing}\n")));
        text.extend(mirrors.iter().map(|mirror| format!("mirror    {}: {}\n", mirror.path, mirror.state)));
        text
    }
}
