//! The first line of a config, which names its schema for editors.

/// A comment of the YAML language server with the address of the schema that this version of canonry has.
/// <https://github.com/redhat-developer/yaml-language-server#using-inlined-schema>
pub const MODELINE: &str = concat!(
    "# yaml-language-server: $schema=",
    env!("CARGO_PKG_REPOSITORY"),
    "/raw/v",
    env!("CARGO_PKG_VERSION"),
    "/schemas/config.schema.json\n"
);
