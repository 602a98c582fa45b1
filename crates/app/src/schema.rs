//! `schema`: finds a built-in schema by its name.

use crate::{Error, ErrorKind};
pub use canonry_model::canon::schema::SchemaKind;
use canonry_model::config::closest_match;

/// The kind with this name.
///
/// # Errors
/// There is no such kind. The help suggests a similar name.
pub fn find(name: &str) -> Result<SchemaKind, Error> {
    SchemaKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let error = Error::new(ErrorKind::Usage, format!("there is no schema `{name}`"));
        match closest_match(name, SchemaKind::ALL.map(SchemaKind::name)) {
            Some(similar) => error.help(format!("did you mean `{similar}`?")),
            None => error.help("run `canonry schema` to list the schemas"),
        }
    })
}
