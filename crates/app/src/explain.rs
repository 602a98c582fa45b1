//! `explain`: finds a rule by its id.

use crate::{Error, ErrorKind};
pub use canonry_lint::Rule;
use canonry_lint::{self as rules};

/// The rule with this id, or an alias of it.
///
/// # Errors
/// There is no such rule. The help suggests a similar id.
pub fn find_rule(id: &str) -> Result<&'static Rule, Error> {
    rules::find(id).ok_or_else(|| {
        let known = rules::all().map(|rule| rule.id);
        Error::new(ErrorKind::Usage, format!("unknown rule `{id}`")).suggest(
            id,
            known,
            "run `canonry explain --list` to list the rules",
        )
    })
}
