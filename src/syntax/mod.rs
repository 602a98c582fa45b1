//! Floor 0: text and its positions. Nothing in here knows what a skill is.

pub mod bm25;
pub mod frontmatter;
pub mod imports;
pub mod json;
pub mod jsonc;
pub mod markdown;
pub mod markup;
pub mod mdc;
pub mod path;
pub mod portable;
pub mod secrets;
pub mod sections;
pub mod source;
pub mod terms;
pub mod words;
pub mod yaml;
pub mod yaml_comments;
pub mod yaml_node;

pub use path::{PathEscape, RepoPath};
pub use source::{Position, Source, Span};
pub use words::WordMatcher;
