//! Skills from elsewhere. Everything that a source states is escaped: it may try to deceive a terminal.

use super::excerpt::escape;
use super::excerpt::escape_line;
use super::{committed_line, counted, diff, json};
use canonry_app::Error;
use canonry_app::skills::remote::review::IncomingReview;
use canonry_app::skills::remote::update::UpdateResult;
use canonry_app::skills::remote::{IncomingApproval, LocalState, ScriptSummary};
use canonry_app::skills::remote::{
    add::{self, AddedSkills},
    install::InstalledSkills,
    list::ListedRemoteSkill,
    outdated::{Freshness, OutdatedSkills},
    remove::RemovedSkills,
    update::UpdatedSkills,
};
use canonry_exchange::remote_skills::{DiscoveredSkill, PinnedSkill, RemoteItem};
use canonry_lint::Finding;
use canonry_model::finding::Severity;
use canonry_text::RepoPath;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Items that are named for one error.
const MAX_NAMES: usize = 4;
/// Findings that are listed for one skill.
const MAX_FINDINGS: usize = 20;
/// With more skills than this, those without errors and warnings take one line.
const MAX_DETAILED: usize = 10;

/// Review before a person accepts skills.
pub fn reviews_to_text(reviews: &[IncomingReview]) -> String {
    let is_short = reviews.len() > MAX_DETAILED;
    let is_quiet = |review: &&IncomingReview| {
        let is_worth = |finding: &Finding| finding.severity >= Severity::Warning;
        review.blocked.is_empty() && review.diffs.is_empty() && !review.findings.iter().any(is_worth)
    };
    let mut text = String::new();
    for review in reviews {
        if is_short && is_quiet(&review) {
            text.push_str(&short_review(review))
        } else {
            text.push_str(&full_review(review))
        }
    }
    text
}

fn short_review(review: &IncomingReview) -> String {
    let bytes: usize = review.files.iter().map(|(_, size)| size).sum();
    let files = counted(review.files.len(), "file");
    let scripts = counted(review.scripts.len(), "script");
    format!("{}  {files}, {}, {scripts}\n", escape_line(&review.item.to_string()), size(bytes))
}

fn full_review(review: &IncomingReview) -> String {
    let source = &review.source;
    let mut text = format!("{}\n", escape_line(&review.item.to_string()));
    let mut line = |label: &str, value: &str| {
        let _ = writeln!(text, "  {label:9} {}", escape_line(value));
    };
    line("source", &source.to_string());
    line("commit", &review.commit.to_string());
    line("content", &review.content.to_string());
    line("licence", review.licence.as_deref().unwrap_or("none stated"));
    let bytes: usize = review.files.iter().map(|(_, size)| size).sum();
    line("files", &format!("{}, {}", counted(review.files.len(), "file"), size(bytes)));
    if !review.binaries.is_empty() {
        let names: Vec<String> = review.binaries.iter().map(RepoPath::to_display).collect();
        line("binary", &format!("not text, so that no rule can read it: {}", names.join(", ")));
    }
    let (telling, silent): (Vec<&ScriptSummary>, Vec<&ScriptSummary>) =
        review.scripts.iter().partition(|script| !script.runs.is_empty() || !script.hosts.is_empty());
    for script in telling {
        line("script", &script_line(script));
    }
    if !silent.is_empty() {
        let names: Vec<String> = silent.iter().map(|script| script.path.to_display()).collect();
        line("script", &format!("{} (read it: commands are listed of shell scripts only)", names.join(", ")));
    }
    for note in &review.notes {
        line("note", note);
    }
    for finding in review.findings.iter().filter(|finding| finding.severity > Severity::Info).take(MAX_FINDINGS) {
        line("finding", &finding_line(finding));
    }
    let infos = review.findings.iter().filter(|finding| finding.severity <= Severity::Info).count();
    let hidden = review.findings.len().saturating_sub(infos).saturating_sub(MAX_FINDINGS);
    match (infos, hidden) {
        (0, 0) => {}
        (infos, 0) => line("finding", &format!("{infos} of severity info")),
        (0, hidden) => line("finding", &format!("{hidden} more")),
        (infos, hidden) => line("finding", &format!("{hidden} more, and {infos} of severity info")),
    }
    for reason in &review.blocked {
        line("refused", reason);
    }
    // A reader must see what an agent would read.
    text.push_str(&escape(&diff::patch(&review.diffs)));
    text
}

fn script_line(script: &ScriptSummary) -> String {
    let ScriptSummary { path, language, runs, hosts } = script;
    let verb = if *language == "SKILL.md" { "runs when it is loaded:" } else { "runs" };
    let runs = (!runs.is_empty()).then(|| format!("{verb} {}", runs.join(", ")));
    let hosts = (!hosts.is_empty()).then(|| format!("names the hosts {}", hosts.join(", ")));
    let facts = runs.into_iter().chain(hosts).collect::<Vec<_>>().join("; ");
    let language = if *language == "SKILL.md" { String::new() } else { format!(" ({language})") };
    format!("{path}{language} {facts}")
}

fn finding_line(finding: &Finding) -> String {
    let location = &finding.location;
    // The rules see the skill in a canon of its own.
    let path = location.path.to_display();
    let path = path.strip_prefix("agent/skills/").or_else(|| path.strip_prefix("agent/")).unwrap_or(&path);
    let severity = finding.severity.as_str();
    format!("{path}:{}: {severity}[{}] {}", location.position.line, finding.rule.id, finding.message)
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1_024 => counted(bytes, "byte"),
        1_024..1_048_576 => format!("{} KiB", bytes / 1_024),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

/// The question after the reviews.
pub fn question(reviews: &[IncomingReview]) -> String {
    let accepted: Vec<&RemoteItem> =
        reviews.iter().filter(|review| review.blocked.is_empty()).map(|review| &review.item).collect();
    format!("Accept {}? [y/N] ", counted_items(accepted.into_iter()))
}

/// `3 skills and 2 files`
fn counted_items<'a>(items: impl Iterator<Item = &'a RemoteItem>) -> String {
    let (files, skills): (Vec<_>, Vec<_>) = items.partition(|item| item.is_file());
    let parts = [(skills.len(), "skill"), (files.len(), "file")].into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, what)| counted(count, what)).collect();
    if parts.is_empty() { counted(0, "skill") } else { parts.join(" and ") }
}

/// Output of `skills add`.
pub fn added_to_text(outcome: &AddedSkills, dry_run: bool) -> String {
    let verb = if dry_run { "would add" } else { "added" };
    let mut text = String::new();
    for (item, folder) in &outcome.added {
        let _ = writeln!(text, "{verb:9} {} to {folder}", escape_line(&item.to_string()));
    }
    for item in &outcome.already {
        let name = item.to_string();
        let _ = writeln!(text, "unchanged {}: added before; `canonry skills update` updates it", escape_line(&name));
    }
    text.push_str(&written_to_text(&outcome.written));
    text
}

/// The skills that a source in `extends` added.
pub fn extended_to_text(source: &str, outcome: &AddedSkills, dry_run: bool) -> String {
    let new = AddedSkills { already: Vec::new(), ..outcome.clone() };
    let mut text = added_to_text(&new, dry_run);
    for (item, from) in &outcome.own {
        let what = if item.is_file() { "file" } else { "skill" };
        let kept = match from {
            Some(from) => format!("the {what} of {from}"),
            None => format!("the canon's own {what}"),
        };
        let line = format!("kept      {item}: {kept}, not that of {source}");
        let _ = writeln!(text, "{}", escape_line(&line));
    }
    text
}

/// Why skills were not added, for stderr.
pub fn not_added(outcome: &AddedSkills) -> String {
    let mut text = refusals(outcome.refused.iter().map(|(item, reasons)| (item, reasons)));
    text.push_str(approval(outcome.approval));
    text
}

fn refusals<'a>(refused: impl Iterator<Item = (&'a RemoteItem, &'a Vec<String>)>) -> String {
    let mut text = String::new();
    let mut by_rule = false;
    for (item, reasons) in refused {
        let name = item.to_string();
        by_rule |= reasons.iter().any(|reason| reason.starts_with("security rule"));
        for reason in reasons {
            let _ = writeln!(text, "refused   {}: {}", escape_line(&name), escape_line(reason));
        }
    }
    if by_rule {
        text.push_str("Read the files at their source. `--allow RULE` accepts the errors of a security rule.\n");
    }
    text
}

fn approval(approval: Option<IncomingApproval>) -> &'static str {
    match approval {
        Some(IncomingApproval::Declined) => "Nothing was written.\n",
        Some(IncomingApproval::NobodyToAsk) => {
            "Nothing was written: nobody can be asked here. Read the review above, then run this again with `--yes`.\n"
        }
        Some(IncomingApproval::Accepted) | None => "",
    }
}

fn written_to_text(written: &canonry_app::skills::remote::Written) -> String {
    let mut text = String::new();
    for (path, backup) in &written.backups {
        let _ = writeln!(text, "backed up {path} to {}", backup.display());
    }
    if let Some(commit) = &written.commit {
        text.push_str(&committed_line(commit));
    }
    if !written.paths.is_empty() && written.needs_sync {
        text.push_str("Run `canonry sync` to update the mirrors.\n");
    }
    text
}

/// The skills that a source offers.
pub fn offer_to_text(offer: &add::Offer) -> String {
    let longest = offer.skills.iter().map(|skill| skill.name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for DiscoveredSkill { name, path } in &offer.skills {
        let path = if path.is_empty() { "(the whole repository)".to_owned() } else { path.to_display() };
        let _ = writeln!(text, "{name:longest$}  {}", escape_line(&path));
    }
    text
}

/// The document `canonry/offered-skills/v1`.
pub fn offer_to_json(offer: &add::Offer) -> String {
    let skill = |skill: &DiscoveredSkill| json!({"name": skill.name, "path": skill.path});
    json::to_text(&json!({
        "schema": "canonry/offered-skills/v1",
        "url": offer.source.url,
        "commit": offer.commit.to_string(),
        "skills": offer.skills.iter().map(skill).collect::<Vec<_>>(),
    }))
}

/// A line for each skill from elsewhere.
pub fn list_to_text(skills: &[ListedRemoteSkill]) -> String {
    let longest = skills.iter().map(|skill| skill.item.to_string().len()).max().unwrap_or_default();
    let mut text = String::new();
    for skill in skills {
        let commit = skill.pin.commit.to_hex_with_len(10);
        let source = skill.pin.source.to_string();
        let licence = skill.pin.licence.as_deref().unwrap_or("no licence stated");
        let _ = writeln!(
            text,
            "{:longest$}  {:9}  {commit}  {}  {}",
            skill.item.to_string(),
            state(&skill.state),
            escape_line(&source),
            escape_line(licence)
        );
    }
    text
}

fn state(state: &LocalState) -> &'static str {
    match state {
        LocalState::Unchanged => "unchanged",
        LocalState::Edited => "edited",
        LocalState::Missing => "missing",
    }
}

/// An item of the document `canonry/remote-skills/v1`. The state is `unchanged`, `edited` or `missing` in a list; `current`,
/// `outdated`, `gone` or `unknown` after asking the source.
fn item_document(item: &RemoteItem, folder: Option<&RepoPath>, pin: &PinnedSkill, state: &str) -> Value {
    json!({
        "name": item.to_string(),
        "folder": folder,
        "url": pin.source.url,
        "path": pin.source.path,
        "ref": pin.source.reference,
        "commit": pin.commit.to_string(),
        "content": pin.content.to_string(),
        "license": pin.licence,
        "state": state,
    })
}

/// The document `canonry/remote-skills/v1`: the skills, then the shared files of a canon by their paths below it.
fn document<'a>(items: impl Iterator<Item = (&'a RemoteItem, Value)>) -> Value {
    let (files, skills): (Vec<_>, Vec<_>) = items.partition(|(item, _)| item.is_file());
    let values = |items: Vec<(&RemoteItem, Value)>| items.into_iter().map(|(_, value)| value).collect::<Vec<_>>();
    json!({"schema": "canonry/remote-skills/v1", "skills": values(skills), "files": values(files)})
}

/// The document `canonry/remote-skills/v1` of a list.
pub fn list_to_json(skills: &[ListedRemoteSkill]) -> String {
    let value =
        |skill: &'_ ListedRemoteSkill| item_document(&skill.item, Some(&skill.folder), &skill.pin, state(&skill.state));
    json::to_text(&document(skills.iter().map(|skill| (&skill.item, value(skill)))))
}

/// The document `canonry/remote-skills/v1` with what the sources have.
pub fn outdated_to_json(outcome: &OutdatedSkills) -> String {
    let documents = outcome.skills.iter().map(|(item, (pin, fresh))| {
        let of_state = |state: &str| item_document(item, None, pin, state);
        let value = match fresh {
            Freshness::Current => of_state("current"),
            Freshness::Gone { .. } => of_state("gone"),
            Freshness::Outdated { commit, .. } => {
                let mut value = of_state("outdated");
                value["latest"] = json!(commit.to_string());
                value
            }
            Freshness::Unknown(error) => {
                let mut value = of_state("unknown");
                value["reason"] = json!(error.message);
                value
            }
        };
        (item, value)
    });
    let mut document = document(documents);
    // Sources in `extends` that the canon has nothing from yet are known only after asking the sources.
    document["unfetched"] = json!(outcome.unfetched);
    json::to_text(&document)
}

/// A line for each skill that is not current.
pub fn outdated_to_text(outcome: &OutdatedSkills) -> String {
    let mut text = String::new();
    let mut current = 0;
    for (name, (pin, fresh)) in &outcome.skills {
        match fresh {
            Freshness::Current => current += 1,
            Freshness::Outdated { commit, changed, moved_to } => {
                let from = pin.commit.to_hex_with_len(10);
                let to = commit.to_hex_with_len(10);
                let files = changed.as_ref().map(|paths| format!(", {} changed", counted(paths.len(), "file")));
                let moved = moved_to.as_ref().map(|path| format!(", now in {path}"));
                let rest = files.unwrap_or_default() + &moved.unwrap_or_default();
                let _ = writeln!(text, "outdated  {name}: {from} -> {to}{}", escape_line(&rest));
            }
            Freshness::Gone { similar } => text.push_str(&gone(name, similar.as_ref())),
            Freshness::Unknown(_) => {}
        }
    }
    let errors = outcome.skills.iter().filter_map(|(name, (_, fresh))| match fresh {
        Freshness::Unknown(error) => Some((name, error)),
        _ => None,
    });
    text.push_str(&failures("unknown", errors));
    let is_current = |(_, (_, fresh)): &(&RemoteItem, &(PinnedSkill, Freshness))| matches!(fresh, Freshness::Current);
    for source in &outcome.unfetched {
        let source = escape_line(source);
        let _ = writeln!(
            text,
            "extends   {source}: the canon has nothing of it yet; `canonry skills update` shows it and adds it"
        );
    }
    if outcome.skills.is_empty() {
        let nothing = "No skill comes from elsewhere; `canonry skills add` adds one.\n";
        text.push_str(if outcome.unfetched.is_empty() { nothing } else { "" });
        return text;
    }
    let counted_current = counted_items(outcome.skills.iter().filter(is_current).map(|(name, _)| name));
    let _ = if current == outcome.skills.len() {
        writeln!(text, "{counted_current} current.")
    } else {
        writeln!(text, "{counted_current} current, of {}.", counted_items(outcome.skills.keys()))
    };
    text
}

/// The items that failed, once for each error: a source that cannot be reached fails all of its items.
fn failures<'a>(label: &str, failed: impl Iterator<Item = (&'a RemoteItem, &'a Error)>) -> String {
    let mut by_error: Vec<(&Error, Vec<String>)> = Vec::new();
    for (item, error) in failed {
        let name = item.to_string();
        match by_error.iter_mut().find(|(known, _)| known.message == error.message) {
            Some((_, names)) => names.push(name),
            None => by_error.push((error, vec![name])),
        }
    }
    let mut text = String::new();
    for (error, names) in by_error {
        let rest = names.len().saturating_sub(MAX_NAMES);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        let names = names.into_iter().take(MAX_NAMES).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "{label:9} {}{more}: {}", escape_line(&names), escape_line(&error.message));
        error.help.iter().for_each(|help| text.push_str(&format!("          {help}\n")));
    }
    text
}

fn gone(item: &RemoteItem, similar: Option<&DiscoveredSkill>) -> String {
    let similar = similar.map(|skill| format!("; it may be {} now", escape_line(&skill.path.to_display())));
    let what = if item.is_file() { "file" } else { "skill" };
    let item = item.to_string();
    let item = escape_line(&item);
    format!(
        "gone      {item}: the source has no such {what} any more{}\n          Yours stays; `canonry skills remove {item}` removes it.\n",
        similar.unwrap_or_default()
    )
}

/// Output of `skills update`.
pub fn updated_to_text(outcome: &UpdatedSkills, dry_run: bool) -> String {
    let verb = if dry_run { "would update" } else { "updated" };
    let mut text = String::new();
    let mut current = Vec::new();
    for (name, result) in &outcome.skills {
        match result {
            UpdateResult::UpToDate => current.push(name),
            UpdateResult::Updated { from, to, merged, .. } => {
                let edits = if *merged { ", merged with local edits" } else { "" };
                let _ = writeln!(
                    text,
                    "{verb:9} {name}: {} -> {}{edits}",
                    from.to_hex_with_len(10),
                    to.to_hex_with_len(10)
                );
            }
            _ => {}
        }
    }
    if !current.is_empty() {
        let _ = writeln!(text, "unchanged {}", counted_items(current.into_iter()));
    }
    text.push_str(&written_to_text(&outcome.written));
    text
}

/// Skills that were not updated, with the reasons, for stderr.
pub fn not_updated(outcome: &UpdatedSkills) -> String {
    let mut text = String::new();
    for (name, result) in &outcome.skills {
        match result {
            UpdateResult::UpToDate
            | UpdateResult::Updated { .. }
            | UpdateResult::Refused(_)
            | UpdateResult::Failed(_) => {}
            UpdateResult::Conflict { paths, incoming } => {
                let name = name.to_string();
                let name = escape_line(&name);
                let _ = writeln!(
                    text,
                    "conflict  {name}: left as it is, because local edits and the new version change the same lines of"
                );
                paths
                    .iter()
                    .for_each(|path| text.push_str(&format!("          {}\n", escape_line(&path.to_display()))));
                text.push_str("          The new version changes there:\n");
                text.push_str(&escape(&diff::patch(incoming)));
                let _ = writeln!(
                    text,
                    "          Edit the files, then run `canonry skills update {name} --ours`, which keeps your lines; or \
                     `--theirs`, which takes the new ones and backs up the files."
                );
            }
            UpdateResult::Missing => {
                let _ =
                    writeln!(text, "missing   {name}: `canonry skills install` writes it, `skills remove` forgets it");
            }
            UpdateResult::Gone { similar } => text.push_str(&gone(name, similar.as_ref())),
        }
    }
    let failed = outcome.skills.iter().filter_map(|(name, result)| match result {
        UpdateResult::Failed(error) => Some((name, error)),
        _ => None,
    });
    text.push_str(&failures("failed", failed));
    let refused = outcome.skills.iter().filter_map(|(name, result)| match result {
        UpdateResult::Refused(reasons) => Some((name, reasons)),
        _ => None,
    });
    text.push_str(&refusals(refused));
    text.push_str(approval(outcome.approval));
    text
}

/// Output of `skills remove`.
pub fn removed_to_text(outcome: &RemovedSkills) -> String {
    let mut text: String = outcome.removed.iter().map(|name| format!("removed   {name}\n")).collect();
    text.push_str(&written_to_text(&outcome.written));
    text
}

/// Why skills were not removed, for stderr.
pub fn not_removed(outcome: &RemovedSkills) -> String {
    let mut text = String::new();
    for (name, paths) in &outcome.edited {
        let _ = writeln!(text, "refused   {name}: it has local edits");
        paths
            .iter()
            .for_each(|path: &RepoPath| text.push_str(&format!("          {}\n", escape_line(&path.to_display()))));
    }
    if !outcome.edited.is_empty() {
        text.push_str("Keep the edits elsewhere, or remove the skill with `--force`, which backs them up.\n");
    }
    text
}

/// Output of `skills install`.
pub fn installed_to_text(outcome: &InstalledSkills) -> String {
    let mut text: String = outcome.installed.iter().map(|name| format!("installed {name}\n")).collect();
    if !outcome.unchanged.is_empty() {
        let _ = writeln!(text, "unchanged {}", counted_items(outcome.unchanged.iter()));
    }
    text.push_str(&written_to_text(&outcome.written));
    text
}

/// Skills that differ from the lock, for stderr.
pub fn not_installed(outcome: &InstalledSkills) -> String {
    let edited =
        outcome.edited.iter().map(|name| format!("edited    {name}: it is not as the lock says, and stays as it is\n"));
    let mut text: String = edited.collect();
    if !text.is_empty() {
        text.push_str(
            "          `canonry skills update` merges new versions with the edits. To have it as it is pinned, move it away and run \
             `canonry skills install`.\n",
        );
    }
    for (name, error) in &outcome.failed {
        let _ = writeln!(text, "failed    {name}: {}", escape_line(&error.message));
        error.help.iter().for_each(|help| text.push_str(&format!("          {help}\n")));
    }
    text
}
