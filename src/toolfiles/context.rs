//! Context files: the canon's map, and its policies, where each tool reads them.

use super::block::{self, BlockMarkers};
use super::desired::{DesiredPart, DesiredToolFiles, ImportLine, PartContent};
use super::request::ToolFileRequest;
use crate::config::{AgentsMdMode, ContextMode};
use crate::syntax::RepoPath;
use crate::syntax::sections::sections;

/// Characters that Antigravity reads of a rule.
const ANTIGRAVITY_LIMIT: usize = 12_000;

/// Adds what is switched on.
pub(super) fn add(wish: &ToolFileRequest<'_>, wanted: &mut DesiredToolFiles) {
    let files = wish.files;
    let canon = wish.layout.map();
    let map = match wish.sources.get(&canon) {
        None => return,
        Some(Ok(text)) => ended(text),
        Some(Err(why)) => return freeze(wish, &canon, why, wanted),
    };
    let root = RepoPath::from("AGENTS.md");
    match files.agents.context {
        AgentsMdMode::Off => {}
        AgentsMdMode::Map => block_in("AGENTS.md", map.clone(), None, (&canon, wanted)),
        AgentsMdMode::Full => block_in("AGENTS.md", full(wish, &map, wanted), None, (&canon, wanted)),
    }
    // Where nothing of ours stands at the top, the canon's own file is the one to name.
    let target = if files.agents.context == AgentsMdMode::Off { canon.clone() } else { root };
    for (context, file, line) in [
        (files.claude.context, "CLAUDE.md", format!("@{target}")),
        (files.gemini.context, "GEMINI.md", format!("@./{target}")),
    ] {
        match context {
            ContextMode::Import => {
                let needless = ImportLine { line: line.clone(), target: target.clone() };
                block_in(file, format!("{line}\n"), Some(needless), (&canon, wanted));
            }
            ContextMode::Copy => block_in(file, map.clone(), None, (&canon, wanted)),
            ContextMode::Off | ContextMode::Setting => {}
        }
    }
    if files.gemini.context == ContextMode::Setting {
        for name in ["AGENTS.md", "GEMINI.md"] {
            wanted.item(".gemini/settings.json", &["context", "fileName"], name.into(), &wish.layout.config());
        }
    }
    rules(wish, &map, wanted);
}

fn freeze(wish: &ToolFileRequest<'_>, canon: &RepoPath, why: &str, wanted: &mut DesiredToolFiles) {
    let places = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".gemini/settings.json", ".cursor/rules", ".agents/rules"];
    if super::request::required_sources(wish.layout, wish.files).contains(canon) {
        wanted.frozen.extend(places.map(RepoPath::from));
        wanted.problem(canon, why);
    }
}

fn block_in(
    file: &str,
    inner: String,
    unless: Option<ImportLine>,
    (canon, wanted): (&RepoPath, &mut DesiredToolFiles),
) {
    if block::find(&inner, BlockMarkers::Markdown) != Ok(None) {
        wanted.frozen.insert(RepoPath::from(file));
        return wanted.problem(canon, "it holds the marks of canonry's block, so that no block can be made of it");
    }
    let place = PartContent::Block { inner, unless };
    wanted.parts.push(DesiredPart { file: RepoPath::from(file), canon: canon.clone(), place });
}

fn ended(text: &str) -> String {
    if text.ends_with('\n') || text.is_empty() { text.to_owned() } else { format!("{text}\n") }
}

/// The policies that can be read; of the others it is told.
fn policies<'w>(wish: &'w ToolFileRequest<'_>, wanted: &mut DesiredToolFiles) -> Vec<(&'w RepoPath, String)> {
    let mut found = Vec::new();
    for (path, text) in wish.sources.below(&wish.layout.policies()) {
        match text {
            Ok(text) => found.push((path, ended(text))),
            Err(why) => {
                wanted.frozen.extend(["AGENTS.md", ".cursor/rules", ".agents/rules"].map(RepoPath::from));
                wanted.problem(path, why);
            }
        }
    }
    found
}

fn full(wish: &ToolFileRequest<'_>, map: &str, wanted: &mut DesiredToolFiles) -> String {
    policies(wish, wanted).iter().fold(map.to_owned(), |text, (_, policy)| format!("{text}\n{policy}"))
}

/// A rule of its own for the map, and one for each policy, which the tool reads where it applies.
fn rules(wish: &ToolFileRequest<'_>, map: &str, wanted: &mut DesiredToolFiles) {
    let (cursor, antigravity) = (wish.files.cursor.context, wish.files.antigravity.context);
    if !cursor && !antigravity {
        return;
    }
    let canon = wish.layout.map();
    let mut all = vec![("canonry".to_owned(), canon.clone(), map.to_owned(), true)];
    for (path, text) in policies(wish, wanted) {
        all.push((format!("canonry-{}", slug(path, &wish.layout.policies())), path.clone(), text, false));
    }
    for (name, canon, text, always) in all {
        let title = title(&text, &canon);
        if cursor {
            let head = format!("---\ndescription: {title}\nalwaysApply: {always}\n---\n\n");
            wanted.whole(&format!(".cursor/rules/{name}.mdc"), Some(head + &text), &canon);
        }
        if antigravity {
            let head = match always {
                true => "---\ntrigger: always_on\n---\n\n".to_owned(),
                false => format!("---\ntrigger: model_decision\ndescription: {title}\n---\n\n"),
            };
            antigravity_rule(&name, head + &text, &canon, wanted);
        }
    }
}

fn antigravity_rule(name: &str, text: String, canon: &RepoPath, wanted: &mut DesiredToolFiles) {
    let file = format!(".agents/rules/{name}.md");
    let length = text.chars().count();
    if length > ANTIGRAVITY_LIMIT {
        wanted.frozen.insert(RepoPath::from(file.as_str()));
        let why = format!(
            "{file} is not written: it would have {length} characters, and Antigravity reads {ANTIGRAVITY_LIMIT}"
        );
        return wanted.problem(canon, why);
    }
    wanted.whole(&file, Some(text), canon);
}

/// The path below the policies as one lower-case word.
fn slug(path: &RepoPath, folder: &RepoPath) -> String {
    let below = path.below(folder).unwrap_or_default().to_string();
    let stem = below.strip_suffix(".md").unwrap_or(&below).to_lowercase();
    stem.chars().map(|c| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' }).collect()
}

/// The first heading as a line that needs no quotes, else the file's name.
fn title(text: &str, path: &RepoPath) -> String {
    let heading = sections(text, 0).into_iter().map(|section| section.title).find(|title| !title.is_empty());
    let title = heading.unwrap_or_else(|| path.file_name_lossy());
    let plain: String =
        title.chars().map(|c| if c.is_alphanumeric() || " -_.,()/".contains(c) { c } else { ' ' }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let plain = words.join(" ").trim_start_matches(['-', '.', ',', ' ']).to_owned();
    if plain.is_empty() { slug(path, &path.parent().unwrap_or_default()) } else { plain }
}
