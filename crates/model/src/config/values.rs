//! Values that the schema accepts although they may be invalid.

use super::exclude::ExcludePattern;
use super::pack::{self, PackVersion};
use super::problem::{ConfigProblem, ValueError};
use super::versions::{ToolVersion, VersionRequirement};
use super::{folders, leaves_repository, memory, overrides, plans};
use canonry_text::node::Node;

type Validate = fn(&str) -> Option<ValueError>;

/// Where the values are, and what is wrong with one. `*` stands for every entry of a list or map.
const VALUES: [(&str, Validate); 14] = [
    ("root", outside_repository),
    ("overrides/*/paths/*", |text| overrides::glob_of(text).err()),
    ("exclude/*", |text| ExcludePattern::parse(text.to_owned()).err()),
    ("versions/*", invalid::<ToolVersion>),
    ("skills/*/requires/*", invalid::<VersionRequirement>),
    ("canons/*", |text| folders::canon(text).err()),
    ("repositories/*", |text| folders::repository(text).err()),
    ("memory/branch", memory::branch_error),
    ("plans/roots/*", plans::outside_repository),
    ("plans/reports/*", plans::outside_repository),
    ("pack/out", outside_repository),
    ("pack/marketplace", outside_repository),
    ("pack/version", invalid::<PackVersion>),
    ("pack/skills/*", pack::glob_error),
];

/// The values that are invalid.
pub(super) fn problems(root: &Node) -> Vec<ConfigProblem> {
    let of_path = |(path, error): &(&str, Validate)| {
        let problem =
            |node: &Node| Some(ConfigProblem { span: node.span, message: error(node.as_str()?)?.to_string() });
        nodes_at(root, path).into_iter().filter_map(problem).collect::<Vec<_>>()
    };
    VALUES.iter().flat_map(of_path).collect()
}

fn nodes_at<'n>(root: &'n Node, path: &str) -> Vec<&'n Node> {
    let children = |node: &'n Node, key: &str| -> Vec<&'n Node> {
        match (key, node.as_sequence()) {
            ("*", Some(items)) => items.iter().collect(),
            ("*", None) => node.entries().iter().map(|entry| &entry.value).collect(),
            _ => node.get(key).into_iter().collect(),
        }
    };
    path.split('/').fold(vec![root], |nodes, key| nodes.into_iter().flat_map(|node| children(node, key)).collect())
}

fn invalid<T: TryFrom<String, Error = ValueError>>(text: &str) -> Option<ValueError> {
    T::try_from(text.to_owned()).err()
}

fn outside_repository(folder: &str) -> Option<ValueError> {
    leaves_repository(folder).then(|| ValueError::OutsideRepository { pattern: folder.to_owned() })
}
