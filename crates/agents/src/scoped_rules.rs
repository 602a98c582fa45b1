//! The team's rules with globs, in the rule files of each tool and in the `AGENTS.md` of their folder.

use super::block::{self, BlockMarkers};
use super::desired::{DesiredPart, DesiredToolFiles, PartContent};
use super::policies::{text_for_context, with_final_newline};
use super::prompts::unknown_target;
use super::request::{ToolFileRequest, has_rules};
use super::rule_header::{TRIGGER_LIMIT, has_no_form, header, no_form, note};
use canonry_model::canon::Layout;
use canonry_model::canon::rule_scope::{RuleMode, RuleScope, ScopedPolicy, split_policy};
use canonry_model::config::{AgentsMdMode, ContextMode, ContextReading, ToolFilesConfig, ToolRow};
use canonry_model::tools::tool_formats::{RuleFolder, RuleHeader};
use canonry_text::{HeaderError, MarkdownFile, RepoPath};
use std::collections::BTreeMap;

/// A tool with a folder of rules.
struct RuleTool {
    row: &'static ToolRow,
    folder: &'static str,
    form: RuleFolder,
}

impl RuleTool {
    fn new(row: &'static ToolRow) -> Option<Self> {
        let (folder, form) = row.rule_folder()?;
        Some(Self { row, folder, form })
    }

    /// Whether the tool loads the managed block of the root `AGENTS.md` in any case.
    fn loads_agents_md(&self, files: &ToolFilesConfig) -> bool {
        match self.row.reads_agents_md() {
            None => false,
            Some(ContextReading::Always | ContextReading::Reported) => true,
            Some(ContextReading::WithoutOwn) => {
                files.tool(self.row.id).context == ContextMode::Import && files.agents.context != AgentsMdMode::Off
            }
        }
    }
}

/// A rule of the team.
struct TeamRule<'t> {
    canon: &'t RepoPath,
    /// The path below the canonical folder, without `.md`.
    stem: String,
    scope: RuleScope,
    body: String,
}

/// Adds the rules for the configured tools.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    if !has_rules(request.files) {
        return;
    }
    let tools: Vec<RuleTool> = request.files.rule_tools().into_iter().filter_map(RuleTool::new).collect();
    let folder = request.layout.rules();
    for (path, text) in request.sources.below(&folder) {
        let below = path.below(&folder).unwrap_or_default().to_string();
        let stem = below.strip_suffix(".md").unwrap_or(&below).to_owned();
        let freeze = |desired: &mut DesiredToolFiles| {
            desired.frozen.extend(tools.iter().map(|tool| tool.path(&stem)));
            desired.frozen.extend(request.files.agents.rules.then(|| RepoPath::from("AGENTS.md")));
        };
        let text = match text {
            Ok(text) => with_final_newline(text),
            Err(error) => {
                freeze(desired);
                desired.add_problem(path, error.to_string());
                continue;
            }
        };
        // Without its scope, the rule would always apply.
        if let Err(error @ HeaderError::Yaml { .. }) = MarkdownFile::parse(&text) {
            freeze(desired);
            desired.add_syntax_error(path, error.to_string());
            continue;
        }
        let ScopedPolicy { scope, targets, body } = split_policy(&text);
        if let Some(name) = unknown_target(&targets, request.files) {
            desired.frozen.extend(tools.iter().map(|tool| tool.path(&stem)));
            desired.add_problem(path, format!("`targets` names an unknown tool: `{name}`"));
            continue;
        }
        // A rule without a scope always applies, as in Claude Code.
        let scope = scope.unwrap_or(RuleScope { always: Some(true), ..RuleScope::default() });
        let rule = TeamRule { canon: path, stem, scope, body: body.to_owned() };
        let is_always_in_root = request.files.agents.rules
            && rule.scope.mode() == RuleMode::Always
            && root_rule(&text, request.layout).is_some();
        for tool in tools.iter().filter(|tool| targets.includes(tool.row.id)) {
            // The model would see the rule twice in every session.
            if !(is_always_in_root && tool.loads_agents_md(request.files)) {
                tool.add(&rule, desired);
            }
        }
    }
    if request.files.agents.rules {
        add_folders(request, desired);
    }
}

impl RuleTool {
    fn path(&self, stem: &str) -> RepoPath {
        let name = if self.form.has_folders { stem.to_owned() } else { stem.replace('/', "-") };
        RepoPath::new(format!("{}/{name}{}", self.folder, self.form.extension))
    }

    fn add(&self, rule: &TeamRule<'_>, desired: &mut DesiredToolFiles) {
        let path = self.path(&rule.stem);
        let header = header(self.form.header, &rule.scope, &rule.stem.replace('/', "-"));
        if has_no_form(self.form.header, &rule.scope) {
            let message = no_form(&rule.stem, self.row.name);
            return desired.add_omission(rule.canon, format!("{}/rules/{}", self.row.id, rule.stem), message);
        }
        let text = format!("{header}{}{}", note(self.form.header, &rule.scope), rule.body);
        let length = text.chars().count();
        if self.form.header == RuleHeader::Trigger && length > TRIGGER_LIMIT {
            desired.frozen.insert(path.clone());
            let message = format!(
                "{path} is not written: it would have {length} characters, and {} reads only {TRIGGER_LIMIT}",
                self.row.name
            );
            return desired.add_omission(rule.canon, format!("{}/rules/{}", self.row.id, rule.stem), message);
        }
        desired.add_generated(&path.to_display(), Some(text), rule.canon);
    }
}

/// Adds a block to the `AGENTS.md` of each folder that a rule names as its only glob.
fn add_folders(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let mut folders: BTreeMap<RepoPath, (RepoPath, String)> = BTreeMap::new();
    for (path, text) in request.sources.below(&request.layout.rules()) {
        let Ok(text) = text else { continue };
        let text = with_final_newline(text);
        let Some((folder, body)) = folder_rule(&text, request.layout) else { continue };
        let (_, joined) = folders.entry(folder).or_insert_with(|| (path.clone(), String::new()));
        if !joined.is_empty() {
            joined.push('\n');
        }
        joined.push_str(body);
    }
    for (folder, (canon, inner)) in folders {
        let file = folder.join("AGENTS.md");
        if block::find(&inner, BlockMarkers::Markdown) != Ok(None) {
            desired.frozen.insert(file);
            desired.add_problem(&canon, "it contains the markers of a canonry block, so it cannot be put into one");
            continue;
        }
        let content = PartContent::Block { inner, replaced_by: None };
        desired.parts.push(DesiredPart { file, canon, content });
    }
}

/// The folder of a rule whose only glob is one folder, and its text.
fn folder_rule<'t>(text: &'t str, layout: &Layout) -> Option<(RepoPath, &'t str)> {
    let ScopedPolicy { scope, targets, body } = split_policy(text);
    let scope = scope.filter(|scope| scope.mode() == RuleMode::Files && targets.includes("agents"))?;
    let [glob] = scope.globs.as_slice() else { return None };
    // The canon's AGENTS.md is a source, and a skill's folder is mirrored as it is.
    let is_canon = |folder: &RepoPath| folder.join("AGENTS.md") == layout.map() || folder.is_within(&layout.skills());
    let folder = only_folder(glob).filter(|folder| !is_canon(folder))?;
    Some((folder, body))
}

/// The folder that a glob such as `src/api/**` names.
fn only_folder(glob: &str) -> Option<RepoPath> {
    let folder = glob.strip_suffix("/**/*").or_else(|| glob.strip_suffix("/**"))?;
    let folder = folder.strip_prefix("./").unwrap_or(folder);
    let is_name = |part: &str| !part.is_empty() && part != "." && part != ".." && part != ".git";
    let is_plain = !folder.contains(['*', '?', '[', ']', '{', '}', '!', '\\', '#']) && folder.split('/').all(is_name);
    is_plain.then(|| RepoPath::from(folder))
}

/// The text of the rules that are not in the `AGENTS.md` of a folder, for the one at the top.
pub(super) fn text_for_root(request: &ToolFileRequest<'_>) -> String {
    let mut joined = String::new();
    if !request.files.agents.rules {
        return joined;
    }
    for (_, text) in request.sources.below(&request.layout.rules()) {
        let Ok(text) = text else { continue };
        let text = with_final_newline(text);
        if let Some(text) = root_rule(&text, request.layout) {
            joined.push_str(&format!("\n{text}"));
        }
    }
    joined
}

/// The text of a rule in the `AGENTS.md` at the top; `None` if it is not there.
fn root_rule(text: &str, layout: &Layout) -> Option<String> {
    let is_for_agents = split_policy(text).targets.includes("agents");
    if is_for_agents && folder_rule(text, layout).is_none() { text_for_context(text) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::config::TOOLS;

    #[test]
    fn a_glob_is_a_folder_only_if_it_covers_it_and_nothing_else() {
        for (glob, want) in [
            ("src/api/**", Some("src/api")),
            ("./src/**/*", Some("src")),
            ("src/**/*.ts", None),
            ("**", None),
            ("**/*", None),
            ("src/*/api/**", None),
            ("../x/**", None),
            ("/etc/**", None),
            ("src/{a,b}/**", None),
            ("src/api", None),
            (".git/**", None),
        ] {
            assert_eq!(only_folder(glob), want.map(RepoPath::from), "{glob}");
        }
    }

    #[test]
    fn a_block_never_goes_into_a_source() {
        let layout = Layout::default();
        for (glob, has_block) in [("src/**", true), ("agent/**", false), ("agent/skills/a/**", false)] {
            let text = format!("---\nglobs: [\"{glob}\"]\n---\n# T\n");
            assert_eq!(folder_rule(&text, &layout).is_some(), has_block, "{glob}");
        }
    }

    #[test]
    fn rule_paths_keep_folders_only_where_the_tool_reads_them() {
        let tools = TOOLS.iter().filter(|row| row.is_written()).filter_map(RuleTool::new);
        let paths: Vec<String> = tools.map(|tool| tool.path("api/style").to_display()).collect();
        assert_eq!(
            paths,
            [
                ".claude/rules/api/style.md",
                ".cursor/rules/api/style.mdc",
                ".agents/rules/api-style.md",
                ".github/instructions/api/style.instructions.md",
                ".clinerules/api-style.md",
                ".windsurf/rules/api-style.md",
                ".kiro/steering/api-style.md",
            ]
        );
    }
}
