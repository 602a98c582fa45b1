//! How skills reach the tools, by the config and by what this checkout can hold.

use super::{GitSource, View};
use crate::config::{Config, MirrorMode, Target};
use crate::mirror::Delivery;
use gix::bstr::{BStr, ByteSlice};
use std::collections::BTreeMap;

/// How skills reach the tools.
pub(super) struct Variants<'a> {
    /// The configured targets.
    pub targets: &'a [Target],
    config: &'a Config,
    link: Delivery,
}

impl<'a> Variants<'a> {
    pub fn new(view: &View, targets: &'a [Target], config: &'a Config) -> Self {
        let link =
            if view.git().is_none_or(GitSource::supports_links) { Delivery::Link } else { Delivery::LinkUnsupported };
        Self { targets, config, link }
    }

    /// Of a skill by its folder's name: the targets to which it is not copied.
    pub fn of(&self, skill: &BStr) -> BTreeMap<Target, Delivery> {
        let plain = self.config.mirrors.is_plain() && self.config.skills.is_empty();
        if plain {
            return BTreeMap::new();
        }
        let name = skill.to_str_lossy();
        let variant = |target: &Target| match (self.config.exclusion(&name, *target), self.config.mode(&name, *target))
        {
            (Some(why), _) => Some((*target, Delivery::Withheld(why))),
            (None, MirrorMode::Copy) => None,
            (None, MirrorMode::Symlink) => Some((*target, self.link.clone())),
        };
        self.targets.iter().filter_map(variant).collect()
    }
}
