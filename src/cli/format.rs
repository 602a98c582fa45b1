//! The output formats that most commands share.

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Text for people
    Human,
    /// One JSON document, described by a schema in schemas/
    Json,
}
