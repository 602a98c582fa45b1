//! Replaces secrets with environment variables, so that an import never copies one into the canon.

use super::plan::{ImportPlan, PlannedFile};
use canonry_model::edit::EditContent;
use canonry_text::secrets;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The environment variables that stand for secrets. Secrets of different owners never share a variable by accident.
#[derive(Default)]
pub(super) struct SecretVariables {
    all: BTreeMap<String, VariableUse>,
}

struct VariableUse {
    owner: String,
    secret: String,
}

impl SecretVariables {
    /// The variable for a secret of an owner. The name is `preferred` unless another owner uses it for another secret.
    pub fn variable(&mut self, owner: &str, preferred: &str, secret: &str) -> String {
        let prefixed = variable_name(owner, preferred);
        let numbered = (2..).map(|number| format!("{prefixed}_{number}"));
        let candidates = [preferred.to_owned(), prefixed.clone()].into_iter().chain(numbered);
        let is_free = |name: &String| {
            self.all.get(name).is_none_or(|used| used.secret == secret || used.owner == format!("{owner}.{preferred}"))
        };
        let name = candidates.into_iter().find(is_free).unwrap_or(prefixed);
        let usage = || VariableUse { owner: format!("{owner}.{preferred}"), secret: secret.to_owned() };
        self.all.entry(name.clone()).or_insert_with(usage);
        name
    }
}

/// `SERVER_KEY`
pub(super) fn variable_name(server: &str, key: &str) -> String {
    let upper = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
    };
    format!("{}_{}", upper(server), upper(key))
}

/// Replaces the secrets of known formats in all planned files.
pub(super) fn replace_in_texts(plan: &mut ImportPlan<'_>) {
    let mut items = std::mem::take(&mut plan.items);
    for item in &mut items {
        for file in &mut item.files {
            // A file that exists in the canon is not written.
            if plan.source.canon.get(&file.path) == Some(&file.state) {
                continue;
            }
            let Some(text) = plan.planned_text(file) else { continue };
            let mut found: Vec<String> = Vec::new();
            let replaced = secrets::replace_all(&text, |what| {
                let variable = description_variable(what);
                found.push(format!("{what} with `${{{variable}}}`"));
                format!("${{{variable}}}")
            });
            if let Cow::Owned(replaced) = replaced
                && let Some(mut state) = plan.source.state_of(&replaced)
            {
                state.mode = file.state.mode;
                let content = EditContent::Bytes(replaced.into_bytes());
                *file = PlannedFile { path: file.path.clone(), content, state };
                found.dedup();
                let name = file.path.file_name_lossy();
                item.changes.push(format!("replaced in {name}: {}; set it in the environment", found.join(", ")));
            }
        }
    }
    plan.items = items;
}

/// The name of a variable for a secret with this description: `a GitHub access token` is `GITHUB_ACCESS_TOKEN`.
fn description_variable(what: &str) -> String {
    let name = what.trim_start_matches("an ").trim_start_matches("a ");
    let upper = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    name.chars().map(upper).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_secrets_get_different_variables() {
        let mut variables = SecretVariables::default();
        assert_eq!(variables.variable("db", "API_KEY", "a"), "API_KEY");
        assert_eq!(variables.variable("db", "API_KEY", "a"), "API_KEY");
        assert_eq!(variables.variable("db", "API_KEY", "rotated"), "API_KEY", "the same key of the same server");
        assert_eq!(variables.variable("my-docs", "API_KEY", "b"), "MY_DOCS_API_KEY");
        assert_eq!(description_variable("a GitHub access token"), "GITHUB_ACCESS_TOKEN");
        assert_eq!(description_variable("an AWS access key ID"), "AWS_ACCESS_KEY_ID");
    }
}
