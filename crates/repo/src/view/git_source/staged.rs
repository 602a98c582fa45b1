//! Staged files, found by what git knows already: the index remembers the tree of each folder that no one has staged
//! into, so that only folders which differ are looked into.

use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::index::Entry;
use gix::index::entry::{Flags, Stage};
use gix::index::extension::Tree as CachedTree;
use gix::objs::tree::EntryMode;
use std::collections::{BTreeMap, BTreeSet, HashMap};

type Names = BTreeMap<BString, (EntryMode, ObjectId)>;
type Cached<'a> = HashMap<&'a [u8], &'a CachedTree>;

/// Paths whose staged content differs from that of the tree `head`.
///
/// # Errors
/// A tree that cannot be read.
pub(super) fn changes(
    repo: &gix::Repository,
    index: &gix::index::State,
    head: ObjectId,
) -> Result<BTreeSet<RepoPath>, gix::Error> {
    let mut diff = Diff { repo, index, changed: BTreeSet::new(), tree_ids: HashMap::new() };
    diff.folder(&StagedFolder { prefix: BString::default(), cached: index.tree(), tree: Some(head) })?;
    Ok(diff.changed)
}

struct Diff<'a> {
    repo: &'a gix::Repository,
    index: &'a gix::index::State,
    changed: BTreeSet<RepoPath>,
    /// Trees computed from index entries, by the folder's path with a slash.
    tree_ids: HashMap<BString, Option<ObjectId>>,
}

/// A folder, as the index and as the commit have it.
struct StagedFolder<'a> {
    /// Its path with a slash behind it; empty for the top.
    prefix: BString,
    cached: Option<&'a CachedTree>,
    tree: Option<ObjectId>,
}

impl StagedFolder<'_> {
    fn is_same(&self) -> bool {
        let cached = self.cached.filter(|cached| cached.num_entries.is_some());
        cached.is_some_and(|cached| Some(cached.id) == self.tree)
    }

    fn below(&self, name: &[u8]) -> BString {
        let mut path = self.prefix.clone();
        path.extend_from_slice(name);
        path
    }
}

impl<'a> Diff<'a> {
    fn folder(&mut self, place: &StagedFolder<'a>) -> Result<(), gix::Error> {
        if place.is_same() {
            return Ok(());
        }
        // Hashing entries that are in memory is many times faster than reading the tree objects below this folder.
        let id = place.tree.and_then(|_| self.tree_id(&place.prefix, self.entries(&place.prefix), place.cached));
        if id.is_some() && id == place.tree {
            return Ok(());
        }
        let mut committed = self.names(place.tree)?;
        let cached: Cached<'_> = match place.cached {
            Some(cached) => cached.children.iter().map(|child| (child.name.as_slice(), child)).collect(),
            None => Cached::new(),
        };
        let mut rest = self.entries(&place.prefix);
        while let Some(entry) = rest.first() {
            let path = entry.path(self.index);
            let name = &path[place.prefix.len()..];
            let Some(end) = name.find_byte(b'/') else {
                let before = committed.remove(name);
                self.file(entry, before);
                if let Some((mode, id)) = before.filter(|(mode, _)| mode.is_tree()) {
                    self.gone(&place.below(name), mode, id)?;
                }
                rest = &rest[1..];
                continue;
            };
            let mut inside = place.below(&name[..end]);
            inside.push(b'/');
            let count = rest.partition_point(|entry| entry.path(self.index).starts_with(&inside));
            rest = &rest[count.max(1)..];
            let name = &name[..end];
            // A file of that name in the commit is gone; a folder is gone through.
            let tree = committed.get(name.as_bstr()).filter(|(mode, _)| mode.is_tree()).map(|(_, id)| *id);
            if tree.is_some() {
                committed.remove(name.as_bstr());
            }
            self.folder(&StagedFolder { prefix: inside, cached: cached.get(name.as_bytes()).copied(), tree })?;
        }
        committed.into_iter().try_for_each(|(name, (mode, id))| self.gone(&place.below(&name), mode, id))
    }

    fn entries(&self, prefix: &BString) -> &'a [Entry] {
        if prefix.is_empty() {
            self.index.entries()
        } else {
            self.index.prefixed_entries(prefix.as_bstr()).unwrap_or(&[])
        }
    }

    /// The id of the tree that git would write for the entries of a folder; `None` if they are not complete, for example
    /// during a merge. The order of the index is the order of trees.
    fn tree_id(&mut self, prefix: &BString, entries: &'a [Entry], cached: Option<&'a CachedTree>) -> Option<ObjectId> {
        if let Some(cached) = cached.filter(|cached| cached.num_entries.is_some()) {
            return Some(cached.id);
        }
        if let Some(id) = self.tree_ids.get(prefix) {
            return *id;
        }
        let id = self.compute_tree_id(prefix, entries, cached);
        self.tree_ids.insert(prefix.clone(), id);
        id
    }

    fn compute_tree_id(
        &mut self,
        prefix: &BString,
        entries: &'a [Entry],
        cached: Option<&'a CachedTree>,
    ) -> Option<ObjectId> {
        let children: Cached<'_> = match cached {
            Some(cached) => cached.children.iter().map(|child| (child.name.as_slice(), child)).collect(),
            None => Cached::new(),
        };
        let mut tree = Vec::with_capacity(entries.len() * 40);
        let mut rest = entries;
        let mut push = |mode: &[u8], name: &[u8], id: ObjectId| {
            tree.extend_from_slice(mode);
            tree.push(b' ');
            tree.extend_from_slice(name);
            tree.push(0);
            tree.extend_from_slice(id.as_slice());
        };
        while let Some(entry) = rest.first() {
            if entry.stage() != Stage::Unconflicted || entry.flags.contains(Flags::INTENT_TO_ADD) {
                return None;
            }
            let path = entry.path(self.index);
            let name = &path[prefix.len()..];
            let Some(end) = name.find_byte(b'/') else {
                let mode = entry.mode.to_tree_entry_mode()?;
                push(mode.as_bytes(&mut Default::default()), name, entry.id);
                rest = &rest[1..];
                continue;
            };
            let inside = BString::from(&path[..prefix.len() + end + 1]);
            let count = rest.partition_point(|entry| entry.path(self.index).starts_with(&inside));
            let (below, after) = rest.split_at(count.max(1));
            rest = after;
            let name = &name[..end];
            let id = self.tree_id(&inside, below, children.get(name.as_bytes()).copied())?;
            push(b"40000", name, id);
        }
        gix::objs::compute_hash(self.repo.object_hash(), gix::objs::Kind::Tree, &tree).ok()
    }

    fn names(&self, tree: Option<ObjectId>) -> Result<Names, gix::Error> {
        let Some(tree) = tree.filter(|id| !id.is_empty_tree()) else { return Ok(Names::new()) };
        let tree = self.repo.find_tree(tree)?;
        let entries = tree.iter().map_while(Result::ok);
        Ok(entries.map(|entry| (entry.filename().to_owned(), (entry.mode(), entry.object_id()))).collect())
    }

    fn file(&mut self, entry: &Entry, committed: Option<(EntryMode, ObjectId)>) {
        let is_same = |(mode, id): (EntryMode, ObjectId)| {
            entry.mode.to_tree_entry_mode() == Some(mode) && id == entry.id && entry.stage() == Stage::Unconflicted
        };
        // A path that is only intended to be added is not staged yet. What replaces a folder is a new path, too.
        let is_new = committed.is_none_or(|(mode, _)| mode.is_tree());
        let intended = entry.flags.contains(Flags::INTENT_TO_ADD) && is_new;
        if !intended && !committed.is_some_and(is_same) {
            self.changed.insert(RepoPath::new(entry.path(self.index)));
        }
    }

    fn gone(&mut self, path: &BString, mode: EntryMode, id: ObjectId) -> Result<(), gix::Error> {
        if !mode.is_tree() {
            self.changed.insert(RepoPath::new(path.as_bstr()));
            return Ok(());
        }
        let files = self.repo.find_tree(id)?.traverse().breadthfirst.files()?;
        let folder = RepoPath::new(path.as_bstr());
        let files = files.into_iter().filter(|entry| !entry.mode.is_tree());
        self.changed.extend(files.map(|entry| folder.join(&entry.filepath)));
        Ok(())
    }
}
