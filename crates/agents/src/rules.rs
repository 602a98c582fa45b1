//! Rule files of tools with a folder of rules: one for AGENTS.md, which always applies, and one for each policy.

use super::desired::DesiredToolFiles;
use super::policies::{policies, with_final_newline};
use super::request::ToolFileRequest;
use super::rule_header::{TRIGGER_LIMIT, has_no_form, header, no_form, note, plain};
use canonry_model::canon::rule_scope::{RuleScope, ScopedPolicy, split_policy};
use canonry_model::config::files::ContextTool;
use canonry_model::tools::tool_formats::{ContextForm, RuleFolder, RuleHeader};
use canonry_text::RepoPath;
use canonry_text::sections::sections;

/// A rule file.
struct CanonRule<'t> {
    name: String,
    canon: RepoPath,
    body: &'t str,
    scope: RuleScope,
}

/// Adds the configured rule files.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let tools = request.files.context_tools().into_iter();
    let tools: Vec<(ContextTool, RuleFolder)> = tools
        .filter_map(|tool| match tool.form {
            ContextForm::Rules(folder) => Some((tool, folder)),
            ContextForm::Text | ContextForm::Import(_) => None,
        })
        .collect();
    let canon = request.layout.map();
    // An unreadable AGENTS.md was reported with the context files.
    let Some(Ok(map)) = request.sources.get(&canon) else { return };
    if tools.is_empty() {
        return;
    }
    let map = with_final_newline(map);
    let always = RuleScope { description: Some(title(&map, &canon)), globs: Vec::new(), always: Some(true) };
    let policies = policies(request, desired);
    let mut rules = vec![CanonRule { name: "canonry".to_owned(), canon, body: &map, scope: always }];
    for (path, text) in &policies {
        let name = format!("canonry-{}", slug(path, &request.layout.policies()));
        let ScopedPolicy { scope, body, .. } = split_policy(text);
        // Without a scope, the agent decides by the title.
        let by_title = || RuleScope { description: Some(title(body, path)), globs: Vec::new(), always: Some(false) };
        rules.push(CanonRule { name, canon: (*path).clone(), body, scope: scope.unwrap_or_else(by_title) });
    }
    for (tool, folder) in &tools {
        rules.iter().for_each(|rule| add_rule(tool, folder, rule, desired));
    }
}

fn add_rule(tool: &ContextTool, folder: &RuleFolder, rule: &CanonRule<'_>, desired: &mut DesiredToolFiles) {
    let file = format!("{}/{}{}", tool.file, rule.name, folder.extension);
    let part = format!("{}/context/{}", tool.key, rule.name);
    if has_no_form(folder.header, &rule.scope) {
        let message = no_form(&rule.name, tool.name);
        return desired.add_omission(&rule.canon, part, message);
    }
    let text = header(folder.header, &rule.scope, &rule.name) + &note(folder.header, &rule.scope) + rule.body;
    let length = text.chars().count();
    if folder.header == RuleHeader::Trigger && length > TRIGGER_LIMIT {
        desired.frozen.insert(RepoPath::from(file.as_str()));
        let message = format!(
            "{file} is not written: it would have {length} characters, and {} reads only {TRIGGER_LIMIT}",
            tool.name
        );
        return desired.add_omission(&rule.canon, part, message);
    }
    desired.add_generated(&file, Some(text), &rule.canon);
}

/// Turns the path below the policies folder into a lower-case name.
fn slug(path: &RepoPath, folder: &RepoPath) -> String {
    let below = path.below(folder).unwrap_or_default().to_string();
    let stem = below.strip_suffix(".md").unwrap_or(&below).to_lowercase();
    stem.chars().map(|c| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' }).collect()
}

/// Returns the first heading, or the file name, as YAML that needs no quotes.
fn title(text: &str, path: &RepoPath) -> String {
    let heading = sections(text, 0).into_iter().map(|section| section.title).find(|title| !title.is_empty());
    let title = plain(&heading.unwrap_or_else(|| path.file_name_lossy()));
    if title.is_empty() { slug(path, &path.parent().unwrap_or_default()) } else { title }
}
