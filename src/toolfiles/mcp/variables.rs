//! `${NAME}` and `${NAME:-default}` in the words of each tool.

/// What a tool calls a variable of the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variables {
    /// `${NAME}` and `${NAME:-default}`
    Shell,
    /// `${NAME}` alone
    ShellPlain,
    /// `${env:NAME}`
    Env,
    /// It is not known to put anything in their place.
    None,
}

/// A variable in a text.
pub(super) struct Variable<'t> {
    /// As it stands there.
    pub whole: &'t str,
    pub name: &'t str,
    pub has_default: bool,
}

/// The variables of a text, in their order.
pub(super) fn all_in(text: &str) -> impl Iterator<Item = Variable<'_>> {
    text.match_indices("${").filter_map(move |(at, _)| {
        let end = at + text[at..].find('}')?;
        let inner = &text[at + 2..end];
        let name = inner.split_once(":-").map_or(inner, |(name, _)| name);
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        is_name.then(|| Variable { whole: &text[at..=end], name, has_default: name.len() < inner.len() })
    })
}

impl Variables {
    /// The text with each variable as the tool calls it.
    ///
    /// # Errors
    /// The tool has no words for one.
    pub fn spell(self, text: &str) -> Result<String, String> {
        let mut spelt = text.to_owned();
        for variable in all_in(text) {
            let Variable { whole, name, has_default } = variable;
            match self {
                Self::Shell => {}
                Self::ShellPlain | Self::Env if has_default => {
                    return Err(format!("it has no word for the default in `{whole}`"));
                }
                Self::ShellPlain => {}
                Self::Env => spelt = spelt.replace(whole, &format!("${{env:{name}}}")),
                Self::None => return Err(format!("it is not known to put a value in the place of `{whole}`")),
            }
        }
        Ok(spelt)
    }
}
