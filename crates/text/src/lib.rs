//! Text formats and positions in text. Nothing in this layer knows about skills or canons.

pub mod bm25;
mod closest_match;
pub mod conflict;
pub mod error_text;
pub mod fences;
pub mod frontmatter;
pub mod imports;
pub mod json;
pub mod link_target;
pub mod list;
pub mod lossy_json;
pub mod markdown;
pub mod markup;
pub mod mdc;
pub mod node;
pub mod path;
pub mod printable;
pub mod prompt;
pub mod prompt_builder;
pub mod rank_fusion;
pub mod secrets;
pub mod sections;
mod shortened;
pub mod similarity;
pub mod source;
pub mod terms;
pub mod toml;
pub mod untrusted;
pub mod word_matcher;
pub mod yaml;

pub use closest_match::closest_match;
pub use path::{PathEscape, RepoPath};
pub use shortened::shortened;
pub use source::{Position, Source, Span};
pub use word_matcher::WordMatcher;
