//! Variables of the environment in the values of a server.

use canonry_model::tools::tool_formats::VariableSyntax;
use serde_json::Value;

/// Why a tool cannot expand a variable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VariableError {
    #[error("it does not support the default value in `{0}`")]
    Default(String),
    #[error("it is not known to expand `{0}`")]
    Unsupported(String),
    #[error("it does not expand variables within `{0}`")]
    Within(String),
}

/// A variable in a text.
pub(super) struct Variable<'t> {
    /// The whole expression.
    pub expression: &'t str,
    pub name: &'t str,
    pub has_default: bool,
}

/// Lists the variables of a text in order.
pub(super) fn variables(text: &str) -> impl Iterator<Item = Variable<'_>> {
    text.match_indices("${").filter_map(move |(at, _)| {
        let end = at + text[at..].find('}')?;
        let inner = &text[at + 2..end];
        let name = inner.split_once(":-").map_or(inner, |(name, _)| name);
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        is_name.then(|| Variable { expression: &text[at..=end], name, has_default: name.len() < inner.len() })
    })
}

/// Translates the variables of a text into the syntax of a tool.
///
/// # Errors
/// See [`VariableError`].
pub(super) fn translate(syntax: VariableSyntax, text: &str) -> Result<String, VariableError> {
    let mut translated = text.to_owned();
    for variable in variables(text) {
        let Variable { expression, name, has_default } = variable;
        match syntax {
            VariableSyntax::Shell => {}
            VariableSyntax::ShellWithoutDefault | VariableSyntax::Env | VariableSyntax::Braces if has_default => {
                return Err(VariableError::Default(expression.to_owned()));
            }
            VariableSyntax::ShellWithoutDefault => {}
            VariableSyntax::Env => translated = translated.replace(expression, &format!("${{env:{name}}}")),
            VariableSyntax::Braces => translated = translated.replace(expression, &format!("{{env:{name}}}")),
            VariableSyntax::Unsupported => return Err(VariableError::Unsupported(expression.to_owned())),
        }
    }
    Ok(translated)
}

/// Writes the variables in a value of a tool as the canon does: `${env:NAME}`, `{env:NAME}` and `$NAME` as `${NAME}`.
pub fn canonical_variables(value: &mut Value) {
    match value {
        Value::String(text) => *text = canonical_text(text),
        Value::Array(items) => items.iter_mut().for_each(canonical_variables),
        Value::Object(pairs) => pairs.values_mut().for_each(canonical_variables),
        _ => {}
    }
}

fn canonical_text(text: &str) -> String {
    let text = text.replace("${env:", "${").replace("{env:", "${");
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match text.strip_prefix('$') {
        Some(name) if is_name(name) => format!("${{{name}}}"),
        _ => text,
    }
}
