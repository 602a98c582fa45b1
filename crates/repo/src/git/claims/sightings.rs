//! When this clone first saw the claims of others. A claim from another machine is free when the same object has been
//! seen for its time to live, by the clock of the observer.

use crate::fs as writes;
use canonry_model::canon::timestamp::Timestamp;
use canonry_runs::plan::ClaimName;
use gix::ObjectId;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

/// The name of the file below `canonry/`: `<time> <object id> <plan>/<step>` on each line.
const FILE: &str = "claims-seen";
const PREFIX: &str = ".canonry-tmp-";

/// The claims that this clone has seen.
#[derive(Debug)]
pub struct Sightings {
    folder: PathBuf,
    seen: BTreeMap<ClaimName, (ObjectId, Timestamp)>,
    is_changed: bool,
}

impl Sightings {
    /// Reads what this clone, with all its work trees, has seen. A file or a line that cannot be read is left out: the time
    /// to live begins again.
    pub fn load(repo: &gix::Repository) -> Self {
        let folder = repo.common_dir().join("canonry");
        let text = crate::fs::read_to_string(folder.join(FILE)).unwrap_or_default();
        let parse = |line: &str| {
            let mut words = line.split(' ');
            let time = Timestamp::parse(words.next()?)?;
            let id = ObjectId::from_hex(words.next()?.as_bytes()).ok()?;
            Some((ClaimName::parse(words.next()?)?, (id, time)))
        };
        Self { folder, seen: text.lines().filter_map(parse).collect(), is_changed: false }
    }

    /// When this object was first seen; `None` if it has not been seen.
    pub fn first_seen(&self, name: &ClaimName, id: ObjectId) -> Option<Timestamp> {
        self.seen.get(name).filter(|(seen, _)| *seen == id).map(|(_, time)| *time)
    }

    /// Adds an object that is seen now, unless it has been seen before.
    pub fn see(&mut self, name: &ClaimName, id: ObjectId, now: Timestamp) {
        // A later time is that of a clock which has been set back since.
        if self.first_seen(name, id).is_none_or(|time| time > now) {
            self.seen.insert(name.clone(), (id, now));
            self.is_changed = true;
        }
    }

    /// Removes the claims on a plan, given by the first part of their names, that no longer exist.
    pub fn retain(&mut self, plan: &str, exists: impl Fn(&ClaimName) -> bool) {
        let before = self.seen.len();
        self.seen.retain(|name, _| name.plan() != plan || exists(name));
        self.is_changed |= self.seen.len() != before;
    }

    /// Writes the file if something changed. If two processes write at the same time, one of them wins: for the claims of
    /// the other, the time to live begins again.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&mut self) -> io::Result<()> {
        if !self.is_changed {
            return Ok(());
        }
        let line = |(name, (id, time)): (&ClaimName, &(ObjectId, Timestamp))| format!("{time} {id} {name}\n");
        let text: String = self.seen.iter().map(line).collect();
        writes::create_dir_all(&self.folder)?;
        let mut file = writes::temporary_file(tempfile::Builder::new().prefix(PREFIX), &self.folder)?;
        writes::write_all(&mut file, text.as_bytes())?;
        writes::persist(file.into_temp_path(), &self.folder.join(FILE))?;
        self.is_changed = false;
        Ok(())
    }
}
