//! `schema`: finds a built-in schema by its name.

use crate::{Error, ErrorKind};
pub use canonry_model::canon::schema::SchemaKind;

/// The kind with this name.
///
/// # Errors
/// There is no such kind. The help suggests a similar name.
pub fn find(name: &str) -> Result<SchemaKind, Error> {
    SchemaKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let known = SchemaKind::ALL.map(SchemaKind::name);
        Error::new(ErrorKind::Usage, format!("there is no schema `{name}`")).suggest(
            name,
            known,
            "run `canonry schema` to list the schemas",
        )
    })
}
