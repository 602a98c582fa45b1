//! The version of a plugin: it increases exactly when the content changes.

use canonry_model::canon::FileState;
use canonry_model::canon::tree::tree_id;
use canonry_text::RepoPath;
use gix_hash::Kind;
use gix_hash::ObjectId;
use semver::Version;

/// The version of the first pack, unless the config states one.
pub const FIRST: Version = Version::new(0, 1, 0);

/// The part of a version that a change increases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Bump {
    /// 1.2.3 becomes 1.2.4
    #[default]
    Patch,
    /// 1.2.3 becomes 1.3.0
    Minor,
    /// 1.2.3 becomes 2.0.0
    Major,
}

/// Last packed version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Previous {
    pub version: Version,
    /// Whether the content is still the same.
    pub is_same: bool,
}

/// The version of the next pack. `lowest` is the configured one.
pub fn next(previous: Option<&Previous>, lowest: Option<&Version>, bump: Bump) -> Version {
    let next = match previous {
        None => return lowest.cloned().unwrap_or(FIRST),
        Some(Previous { version, is_same: true }) => version.clone(),
        Some(Previous { version, is_same: false }) => match bump {
            Bump::Major => Version::new(version.major + 1, 0, 0),
            Bump::Minor => Version::new(version.major, version.minor + 1, 0),
            Bump::Patch => Version::new(version.major, version.minor, version.patch + 1),
        },
    };
    let stated = lowest.filter(|lowest| previous.is_some_and(|previous| **lowest > previous.version));
    stated.cloned().unwrap_or(next)
}

/// Identifies the content of a plugin. The files must be those of a fixed version.
pub fn content_id<'f>(files: impl Iterator<Item = (&'f RepoPath, FileState)>, hash: Kind) -> ObjectId {
    let files: Vec<_> = files.map(|(path, state)| (path.as_bstr(), state)).collect();
    tree_id(&files, hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_follows_the_content() {
        let version = |text: &str| Version::parse(text).unwrap();
        for (previous, lowest, bump, want) in [
            (None, None, Bump::Patch, "0.1.0"),
            (None, None, Bump::Major, "0.1.0"),
            (None, Some("2.0.0"), Bump::Minor, "2.0.0"),
            (Some(("1.2.3", true)), None, Bump::Major, "1.2.3"),
            (Some(("1.2.3", false)), None, Bump::Patch, "1.2.4"),
            (Some(("1.2.3", false)), None, Bump::Minor, "1.3.0"),
            (Some(("1.2.3", false)), None, Bump::Major, "2.0.0"),
            (Some(("1.2.3", false)), Some("1.0.0"), Bump::Patch, "1.2.4"),
            (Some(("1.2.3", true)), Some("1.2.3"), Bump::Patch, "1.2.3"),
            (Some(("1.2.3", true)), Some("1.3.0"), Bump::Patch, "1.3.0"),
            (Some(("1.2.3", false)), Some("1.3.0"), Bump::Major, "1.3.0"),
        ] {
            let previous = previous.map(|(text, is_same)| Previous { version: version(text), is_same });
            let next = next(previous.as_ref(), lowest.map(version).as_ref(), bump);
            assert_eq!(next, version(want), "{previous:?} {lowest:?} {bump:?}");
        }
    }
}
