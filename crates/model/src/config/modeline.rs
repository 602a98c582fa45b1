//! The lines of a config that name its schema for editors, and where the schema is. Schemas have no public address.

use crate::canon::Layout;
use canonry_text::RepoPath;

/// The schema of the config, below the root of the canon.
pub const CONFIG_SCHEMA: &str = "schemas/config-schema.json";

/// The first lines of a config in the default layout.
pub const MODELINE: &str = "\
# yaml-language-server: $schema=schemas/config-schema.json
# The line above is for editors. After an update of canonry: `canonry schema config > agent/schemas/config-schema.json`
";

/// The path of the schema that a config names for editors.
pub fn config_schema(layout: &Layout) -> RepoPath {
    layout.root().join(CONFIG_SCHEMA)
}

/// The first lines of a config in this layout.
pub fn modeline(layout: &Layout) -> String {
    MODELINE.replace("agent/", &layout.folder_prefix())
}
