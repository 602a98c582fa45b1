//! Output of `init`.

use super::{counted, json};
use canonry_app::init::{AdoptedSkill, CanonPart, DetectedTool, InitOutcome, InitPreview};
use canonry_mirror::repeated::RepeatedReader;
use canonry_model::config::Target;
use canonry_model::config::switches::Switch;
use canonry_text::RepoPath;
use gix::bstr::ByteSlice as _;
use serde_json::json;
use std::collections::BTreeMap;

/// Adopted skills listed by name before the rest is counted.
const MAX_SKILLS: usize = 20;

/// The remedy for conflicting skills.
const CONFLICT_HELP: &str =
    "          Make the skills equal, or rename one, and run `canonry init` again. Until then they stay unchanged.\n";

/// `canonry/init/v1`
pub fn document(outcome: &InitOutcome) -> String {
    let off = |(switch, reason): &(Switch, String)| json!({"key": key(switch), "reason": reason});
    json::to_text(&json!({
        "schema": "canonry/init/v1",
        "written": outcome.written,
        "kept": outcome.kept,
        "adopted": outcome.adopted,
        "owned": outcome.skills.iter().flat_map(|skill| &skill.directories).collect::<Vec<_>>(),
        "refused": outcome.refused,
        "targets": outcome.targets.iter().map(|target| target.name()).collect::<Vec<_>>(),
        "left_out": outcome.left_out.iter().map(|part| part.name()).collect::<Vec<_>>(),
        "to_configure": outcome.to_configure,
        "switched_on": outcome.switched_on.iter().map(key).collect::<Vec<_>>(),
        "switched_off": outcome.switched_off.iter().map(off).collect::<Vec<_>>(),
    }))
}

/// `files.claude.hooks`
fn key(switch: &Switch) -> String {
    format!("files.{}.{}", switch.tool, switch.key)
}

/// Shows each part with its files and its effect, and asks which ones to write.
pub fn question(preview: &InitPreview) -> String {
    let mut text = format!("A canon in {}/", preview.root);
    if preview.tools.is_empty() {
        text.push_str("; no tool was found in use");
    }
    if !preview.tools.is_empty() {
        text.push_str(&format!(" for {}", tools(&preview.tools)));
    }
    text.push_str(&format!("\nCopies of the skills: {}\n\n", mirrors(&preview.targets)));
    for part in &preview.parts {
        let name = part.part.name();
        text.push_str(&format!("  {name:12} {:9} {}\n", counted(part.files, "file"), effect(preview, part.part)));
        for effect in &part.effects {
            text.push_str(&format!("{:25}{effect}\n", ""));
        }
        if part.copies > 0 {
            let copies = if part.copies == 1 { "copy" } else { "copies" };
            text.push_str(&format!("{:25}{} {copies} for the tools\n", "", part.copies));
        }
    }
    text.push_str("\nThe skills are always written. Other parts? (names, `all`, or nothing)\n> ");
    text
}

/// Contents of a part.
fn effect(preview: &InitPreview, part: CanonPart) -> String {
    match part {
        CanonPart::Skills if preview.adopted > 0 => {
            format!("the config, and {} of your tools", counted(preview.adopted, "skill"))
        }
        CanonPart::Skills => "the config".to_owned(),
        CanonPart::Instructions => "root instructions for every tool".to_owned(),
        CanonPart::Workflow => "seven skills, from a request to a report".to_owned(),
        CanonPart::Hooks => "permissions, and the hooks that enforce them".to_owned(),
        CanonPart::Memory => "a log of what failed, and its lessons".to_owned(),
    }
}

/// `claude (CLAUDE.md), codex (.codex)`
fn tools(tools: &[DetectedTool]) -> String {
    let tool = |tool: &DetectedTool| format!("{} ({})", tool.tool.name(), tool.evidence.join(", "));
    tools.iter().map(tool).collect::<Vec<_>>().join(", ")
}

/// `.claude/skills, .agents/skills`
fn mirrors(targets: &[Target]) -> String {
    targets.iter().map(|target| target.mirror()).collect::<Vec<_>>().join(", ")
}

/// The outcome for people.
pub fn human(outcome: &InitOutcome) -> String {
    let mut text = adopted(outcome);
    text.push_str(&by_directory(outcome, if outcome.dry_run { "to write" } else { "wrote" }, &outcome.written));
    if !changes_nothing(outcome) {
        text.push_str(&by_directory(outcome, "kept", &outcome.kept));
    }
    text.extend(outcome.refused.iter().map(|refusal| format!("refused   {}: {}\n", refusal.path, refusal.reason)));
    if outcome.has_conflicting_skills {
        text.push_str(CONFLICT_HELP);
    }
    text.extend(outcome.ignored.iter().map(|path| format!("note      git ignores {path}\n")));
    if !outcome.ignored_mirrors.is_empty() {
        let roots: Vec<String> = outcome.ignored_mirrors.iter().map(ToString::to_string).collect();
        let roots = roots.join(", ");
        text.push_str(&if outcome.is_new_config {
            format!("note      git ignores {roots}, so each clone makes these mirrors with `canonry sync`\n")
        } else {
            format!("note      git ignores {roots}, so no commit has these mirrors: remove the pattern from .gitignore, or set `files: {{git: {{ignore: true}}}}` in the config, and each clone makes its own\n")
        });
    }
    if outcome.skills_at_top > 0 {
        let skills = counted(outcome.skills_at_top, "skill");
        let verb = if outcome.skills_at_top == 1 { "is" } else { "are" };
        text.push_str(&format!(
            "note      {skills} in skills/ {verb} not in the canon: move them to {}/skills, or make the whole repository the canon with `root: .` in a canonry.yaml at the top\n", outcome.root
        ));
    }
    if !outcome.importable_skills.is_empty() {
        let folders = outcome.importable_skills.join(", ");
        text.push_str(&format!(
            "note      `canonry import --from tools` takes the skills in {folders} into the canon\n"
        ));
    }
    if outcome.foreign_files > 0 {
        let files = counted(outcome.foreign_files, "file");
        text.push_str(&format!(
            "note      {root}/ had {files} of something else; if it belongs to another program, set `root: .agent` in a canonry.yaml at the top, and run `canonry init` again{undo}\n",
            root = outcome.root,
            undo = if outcome.dry_run { "" } else { " after removing the new files" },
        ));
    }
    let links = outcome.skills.iter().filter(|skill| skill.link.is_some()).count();
    if links > 0 {
        let (what, verb) = if links == 1 { ("skill is a link", "leads") } else { ("skills are links", "lead") };
        text.push_str(&format!(
            "note      {links} {what}: the mirrors get the {noun}, which some tools do not follow, and canonry checks nothing that {pronoun} {verb} to; move the folder to {root}/skills to change that\n",
            noun = if links == 1 { "link" } else { "links" },
            pronoun = if links == 1 { "it" } else { "they" },
            root = outcome.root,
        ));
    }
    if !changes_nothing(outcome) {
        if outcome.is_new_config {
            let found = if outcome.tools.is_empty() { "none in use".to_owned() } else { tools(&outcome.tools) };
            text.push_str(&format!("tools     {found}\n"));
        }
        text.push_str(&format!("targets   {}\n", mirrors(&outcome.targets)));
        text.push_str(&switches(outcome));
        text.extend(outcome.repeated.iter().map(repeated));
    }
    if let Some(lines) = &outcome.to_configure {
        let lines: String = lines.lines().map(|line| format!("            {line}\n")).collect();
        text.push_str(&format!("note      add to the config to connect the tools:\n{lines}"));
    }
    if !changes_nothing(outcome) && !outcome.left_out.is_empty() {
        let parts: Vec<&str> = outcome.left_out.iter().map(|part| part.name()).collect();
        text.push_str(&format!("left out  {}; `--with` or `--all` adds them\n", parts.join(", ")));
    }
    text.push_str(&summary(outcome));
    if !outcome.dry_run && !changes_nothing(outcome) {
        text.push_str(&next_steps(outcome));
    }
    text
}

/// A tool that will see each skill several times.
fn repeated(reader: &RepeatedReader) -> String {
    format!("note      {}; {}\n", reader.effect(), reader.remedy())
}

fn changes_nothing(outcome: &InitOutcome) -> bool {
    outcome.written.is_empty() && outcome.skills.is_empty()
}

/// `on        claude: context, permissions, hooks`, and a line per reason for switches that are off.
fn switches(outcome: &InitOutcome) -> String {
    let mut on: Vec<(&str, Vec<&str>)> = Vec::new();
    for switch in &outcome.switched_on {
        match on.last_mut() {
            Some((tool, keys)) if *tool == switch.tool => keys.push(switch.key),
            _ => on.push((switch.tool, vec![switch.key])),
        }
    }
    let mut text: String = on.iter().map(|(tool, keys)| format!("on        {tool}: {}\n", keys.join(", "))).collect();
    let mut off: Vec<(&str, BTreeMap<&str, Vec<&str>>)> = Vec::new();
    for (switch, why) in &outcome.switched_off {
        let at = off.iter().position(|(known, _)| known == why).unwrap_or_else(|| {
            off.push((why, BTreeMap::new()));
            off.len() - 1
        });
        if let Some((_, keys)) = off.get_mut(at) {
            keys.entry(switch.key).or_default().push(switch.tool);
        }
    }
    for (why, keys) in off {
        let keys: Vec<String> = keys.iter().map(|(key, tools)| format!("{key} ({})", tools.join(", "))).collect();
        text.push_str(&format!("off       {}: {why}\n", keys.join(", ")));
    }
    text
}

fn summary(outcome: &InitOutcome) -> String {
    if changes_nothing(outcome) && outcome.refused.is_empty() {
        let verb = if outcome.kept.len() == 1 { "exists" } else { "exist" };
        let kept = counted(outcome.kept.len(), "file");
        return format!("Nothing to add: {kept} already {verb}. Run `canonry sync` to mirror the skills.\n");
    }
    let [written, adopted, end] =
        if outcome.dry_run { ["to write", "to adopt", "; nothing was written."] } else { ["written", "adopted", "."] };
    let mut parts = vec![format!("{} {written}", counted(outcome.written.len(), "file"))];
    if !outcome.skills.is_empty() {
        let links = outcome.skills.iter().filter(|skill| skill.link.is_some()).count();
        let linked = if links == 0 { String::new() } else { format!(" ({links} linked)") };
        parts.push(format!("{} {adopted}{linked}", counted(outcome.skills.len(), "skill")));
    }
    let rest = [(outcome.kept.len(), "kept"), (outcome.refused.len(), "refused")];
    parts.extend(rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    format!("{}{end}\n", parts.join(", "))
}

/// `adopted   deploy from .claude/skills, .gemini/skills`
fn adopted(outcome: &InitOutcome) -> String {
    let verb = if outcome.dry_run { "to adopt" } else { "adopted" };
    let line = |skill: &AdoptedSkill| {
        let roots = skill.directories.iter().filter_map(RepoPath::parent).map(|root| root.to_display());
        let link = skill.link.as_ref().map(|to| format!(", a link to {to}")).unwrap_or_default();
        format!("{verb:9} {} from {}{link}\n", skill.name, roots.collect::<Vec<_>>().join(", "))
    };
    let mut text: String = outcome.skills.iter().take(MAX_SKILLS).map(line).collect();
    if outcome.skills.len() > MAX_SKILLS {
        text.push_str(&format!("{verb:9} {}\n", counted(outcome.skills.len() - MAX_SKILLS, "more skill")));
    }
    text
}

/// One line per directory of the canon. Names single files, and counts several.
fn by_directory(outcome: &InitOutcome, verb: &str, paths: &[RepoPath]) -> String {
    let depth = outcome.root.components().count();
    let mut groups: BTreeMap<RepoPath, Vec<&RepoPath>> = BTreeMap::new();
    for path in paths {
        let directory = path.components().take(depth + 1).fold(RepoPath::default(), |path, part| path.join(part));
        groups.entry(directory).or_default().push(path);
    }
    let skills = outcome.root.join("skills");
    let line = |(directory, files): (&RepoPath, &Vec<&RepoPath>)| match files.as_slice() {
        files if *directory == skills => {
            let folders = files.iter().filter_map(|path| path.below(&skills)?.to_str().ok()?.split_once('/'));
            let mut names: Vec<&str> = folders.map(|(name, _)| name).collect();
            names.dedup();
            format!("{verb:9} {directory}: {}\n", names.join(", "))
        }
        [file] => format!("{verb:9} {file}\n"),
        files => format!("{verb:9} {directory} ({})\n", counted(files.len(), "file")),
    };
    groups.iter().map(line).collect()
}

fn next_steps(outcome: &InitOutcome) -> String {
    let at = |path: &str| outcome.root.join(path).to_display();
    let root = if outcome.root.is_empty() { ".".into() } else { outcome.root.to_display() };
    let wrote = |path: &str| outcome.written.iter().any(|written| *written == outcome.root.join(path));
    // `sync` commits the config and what it makes mirrors of.
    let is_on = |key: &str| outcome.switched_on.iter().any(|switch| switch.key == key);
    let skills = outcome.root.join("skills");
    let is_left = |path: &RepoPath| {
        let is_source = *path == outcome.root.join("canonry.yaml")
            || *path == outcome.root.join("AGENTS.md") && is_on("context")
            || *path == outcome.root.join("protocols/permissions.md") && is_on("permissions");
        !is_source && !path.is_within(&skills)
    };
    let mut steps = vec![
        ("canonry check".to_owned(), "checks the canon"),
        ("canonry sync --commit".to_owned(), "writes and commits what the tools read"),
    ];
    if outcome.written.iter().any(is_left) {
        steps.push((format!("git add {root} && git commit"), "commits the rest of the canon"));
    }
    steps.push(("canonry install git-hooks".to_owned(), "checks each commit; see also `install ci`"));
    let mut text = String::from("\nNext:\n");
    text.extend(steps.iter().map(|(command, effect)| format!("  {command:30} {effect}\n")));
    if wrote("AGENTS.md") {
        text.push_str(&format!("Then replace each TODO in {}.\n", at("AGENTS.md")));
    }
    if wrote("protocols/permissions.md") {
        text.push_str(&format!("Adapt {} to what agents may do here.\n", at("protocols/permissions.md")));
    }
    text
}
