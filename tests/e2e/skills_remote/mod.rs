//! `canonry skills add`, `list --remote`, `outdated`, `update`, `install` and `remove`, with local bare repositories as sources.

mod add;
mod extend;
mod extend_files;
mod hostile;
mod http;
mod kill;
mod source;
mod update;
mod walk;
