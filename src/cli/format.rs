//! The output formats that commands share.

use canonry_app::{Error, ErrorKind};
use std::path::Path;

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Text for people
    Human,
    /// JSON
    Json,
}

impl Format {
    /// An outcome in this format.
    pub fn render<T: ?Sized>(self, outcome: &T, to_text: fn(&T) -> String, to_json: fn(&T) -> String) -> String {
        match self {
            Self::Human => to_text(outcome),
            Self::Json => to_json(outcome),
        }
    }
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ReportFormat {
    /// A few lines for people
    Human,
    /// One JSON document
    Json,
    /// A Markdown page
    Markdown,
    /// One self-contained HTML page
    Html,
}

impl ReportFormat {
    /// The format that was asked for, or that the output file's name says.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] if the format of the output file is unknown, or is none for files.
    pub fn choose(asked: Option<Self>, output: Option<&Path>) -> Result<Self, Error> {
        let format = match (asked, output) {
            (Some(format), _) => format,
            (None, Some(path)) => Self::from_extension(path).ok_or_else(|| {
                Error::new(ErrorKind::Usage, format!("the format of {} is unknown", path.display()))
                    .help("name a file that ends in .json, .md or .html, or add --format")
            })?,
            (None, None) => Self::Human,
        };
        if format == Self::Human && output.is_some() {
            return Err(Error::new(ErrorKind::Usage, "`--output` needs the format json, markdown or html"));
        }
        Ok(format)
    }

    /// The format that an output file's name says.
    fn from_extension(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "json" => Some(Self::Json),
            "md" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }
}
