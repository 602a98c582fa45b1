//! Constraints of skills: the commands that a skill's frontmatter forbids, or makes subject to approval.
//!
//! A constraint applies whichever skill is in use, because a hook does not know the skill. So only commands that a constraint
//! names count, "never run: terraform destroy" or "never `terraform destroy`"; other prose is for the agent.

use super::permissions::{PermissionEntry, items};
use canonry_text::node::Node;
use canonry_text::{frontmatter, yaml};

/// A constraint with its line in `SKILL.md`, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillConstraint {
    pub line: usize,
    /// The text in one line.
    pub text: String,
}

const KEY: &str = "constraints";
/// First words of a constraint that forbids, and of one that requires approval.
const NEVER: [&str; 8] = ["never", "do not", "don't", "must not", "no", "not", "forbidden", "avoid"];
const APPROVAL: [&str; 6] =
    ["ask before", "requires approval", "require approval", "ask first", "only with approval", "confirm before"];
const RUN: [&str; 5] = ["run", "execute", "use", "call", "invoke"];

/// Reads the constraints in the frontmatter of a `SKILL.md`.
pub fn skill_constraints(text: &str) -> Vec<SkillConstraint> {
    let Ok(fences) = frontmatter::split(text) else { return Vec::new() };
    let yaml = text.get(fences.yaml.range()).unwrap_or_default();
    if !yaml.contains(KEY) {
        return Vec::new();
    }
    let Ok(document) = yaml::parse(yaml, fences.yaml.offset) else { return Vec::new() };
    let root = &document.root;
    let Some(node) = root.get(KEY).or_else(|| root.get("metadata")?.get(KEY)) else { return Vec::new() };
    let line = |node: &Node| text.get(..node.span.offset).unwrap_or_default().matches('\n').count() + 1;
    let texts: Vec<(usize, String)> = match node.as_sequence() {
        Some(list) => list.iter().flat_map(|item| texts_of(item).into_iter().map(|text| (line(item), text))).collect(),
        None => texts_of(node)
            .iter()
            .flat_map(|text| text.split([';', '\n']))
            .map(|text| (line(node), text.to_owned()))
            .collect(),
    };
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = texts.into_iter().map(|(line, text)| SkillConstraint { line, text: one_line(&text) });
    found.filter(|constraint| !constraint.text.is_empty()).collect()
}

/// A constraint is a string. Without quotes, `never run: x` is a mapping for YAML, but a constraint for its author.
fn texts_of(node: &Node) -> Vec<String> {
    let pairs = node.entries().iter().flat_map(|entry| {
        let items = entry.value.as_sequence().into_iter().flatten().filter_map(Node::as_str);
        entry.value.as_str().into_iter().chain(items).map(|text| format!("{}: {text}", entry.key)).collect::<Vec<_>>()
    });
    node.as_str().map(str::to_owned).into_iter().chain(pairs).collect()
}

impl SkillConstraint {
    /// The commands that the constraint forbids or makes subject to approval.
    pub fn entries(&self) -> Vec<PermissionEntry> {
        let starts = |list: &[&'static str]| list.iter().find_map(|word| strip_words(&self.text, word));
        let (title, rest) = match (starts(&NEVER), starts(&APPROVAL)) {
            (Some(rest), _) => ("Never allowed", rest),
            (None, Some(rest)) => ("Requires approval", rest),
            (None, None) => return Vec::new(),
        };
        let run =
            RUN.iter().find_map(|word| strip_words(rest, word).or_else(|| strip_words(rest, &format!("{word}ning"))));
        let rest = run.unwrap_or(rest).trim();
        let list = rest.strip_prefix(':').map(str::trim).filter(|list| !list.contains('`'));
        let item = match list {
            Some(list) => {
                let commands: Vec<String> =
                    list.trim_end_matches('.').split(',').map(|command| format!("`{}`", command.trim())).collect();
                commands.join(", ")
            }
            None if rest.contains('`') => rest.trim_start_matches(':').trim().to_owned(),
            // "never run terraform destroy"
            None if run.is_some() => format!("`{}`", rest.trim_end_matches('.')),
            None => return Vec::new(),
        };
        let found = items(&format!("## {title}\n\n- {item}\n"));
        let entries = found.into_iter().flat_map(|item| item.entries);
        entries.filter(|entry| !matches!(entry.subject, super::permissions::PermissionSubject::Action(_))).collect()
    }
}

/// Removes words from the start of a text, ignoring case.
fn strip_words<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let start = text.get(..words.len()).filter(|start| start.eq_ignore_ascii_case(words))?;
    let rest = text.get(start.len()..)?;
    rest.starts_with([' ', ':', '`']).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::permissions::PermissionSubject;

    fn shown(text: &str) -> String {
        let constraint = SkillConstraint { line: 1, text: text.to_owned() };
        let entries = constraint.entries().into_iter().map(|entry| {
            let what = match entry.subject {
                PermissionSubject::Command(words) => words.join(" "),
                subject => format!("{subject:?}"),
            };
            format!("{:?} {what}", entry.decision)
        });
        entries.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn only_named_commands_are_enforced() {
        for (text, want) in [
            ("never run: terraform destroy", "Deny terraform destroy"),
            ("Never run: terraform destroy, helm uninstall", "Deny terraform destroy, Deny helm uninstall"),
            ("never run terraform destroy", "Deny terraform destroy"),
            ("Do not run `git push --force`.", "Deny git push --force"),
            ("never `kubectl delete`", "Deny kubectl delete"),
            ("ask before running: npm publish", "Ask npm publish"),
            ("requires approval: `npm publish`", "Ask npm publish"),
            ("reproduce before fixing", ""),
            ("do not delete important entries", ""),
            ("never push to main", ""),
            ("nevertheless run: x", ""),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
    }

    #[test]
    fn constraints_have_their_line() {
        let list = "---\nname: x\nconstraints:\n  - never run: terraform destroy\n  - be kind\n---\n";
        let unquoted = skill_constraints(list);
        let list = "---\nname: x\nconstraints:\n  - \"never run: terraform destroy\"\n  - be kind\n---\n";
        let lines: Vec<(usize, String)> =
            skill_constraints(list).into_iter().map(|constraint| (constraint.line, constraint.text)).collect();
        assert_eq!(skill_constraints(list), unquoted);
        assert_eq!(lines, [(4, "never run: terraform destroy".to_owned()), (5, "be kind".to_owned())]);
        let text = "---\nname: x\nmetadata:\n  constraints: be kind; never run `rm`\n---\n";
        assert_eq!(skill_constraints(text).len(), 2);
        assert_eq!(skill_constraints("# constraints\n"), []);
    }
}
