//! `canonry install merge-driver`

use crate::app::Environment;
use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::apply::standalone_file::{self, Use};
use crate::cli::install::shared::{Rehearsal, file_or_nothing, rehearse, repository, shown};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::git::hooks::real;
use crate::git::settings;
use crate::install::merging::{self, Driver};
use crate::toolfiles::block::{self, BlockMarkers};
use crate::view::Basis;
use std::path::PathBuf;

/// A file that gets a block.
struct Place {
    path: PathBuf,
    /// For people.
    name: String,
    /// What the block holds.
    inner: String,
    was: Option<Vec<u8>>,
}

impl Place {
    fn text(&self) -> Result<&str, Error> {
        std::str::from_utf8(self.was.as_deref().unwrap_or_default())
            .map_err(|_| self.refused("it is not UTF-8").help("save it as UTF-8, then run this again"))
    }

    fn refused(&self, why: &str) -> Error {
        Error::new(ErrorKind::Refused, format!("{} is left as it is: {why}", self.name))
    }

    fn torn(&self, torn: block::MalformedBlock) -> Error {
        self.refused(&torn.to_string()).help("put the block right or take its lines out, then run this again")
    }

    /// With the block in it.
    fn with(&self) -> Result<Vec<u8>, Error> {
        let text = block::put(self.text()?, BlockMarkers::Merging, &self.inner).map_err(|torn| self.torn(torn))?;
        Ok(text.into_bytes())
    }

    /// Without it; `None` where nothing is left.
    fn without(&self) -> Result<Option<Vec<u8>>, Error> {
        let text = block::take_out(self.text()?, BlockMarkers::Merging).map_err(|torn| self.torn(torn))?;
        Ok((!text.is_empty()).then(|| text.into_bytes()))
    }
}

/// The three files, as they are. What the attributes of a clone say comes before what is committed: so the driver merges
/// where it is installed, and git's union everywhere else.
fn places(env: &Environment) -> Result<(gix::Repository, Vec<Place>), Error> {
    let (repo, top) = repository(env)?;
    let common = real(repo.common_dir())?;
    let context = Workspace::open(env, &Basis::WorkTree)?;
    let attributes = |driver| merging::attributes(&context.layout, context.view.base(), driver);
    let files = [
        (common.join("config"), merging::section()),
        (common.join("info/attributes"), attributes(Driver::Canonry)),
        (top.join(".gitattributes"), attributes(Driver::Union)),
    ];
    let mut places = Vec::new();
    for (path, inner) in files {
        let name = shown(&path, &top);
        let was = file_or_nothing(&name, standalone_file::look(&path)?)?;
        places.push(Place { path, name, inner, was });
    }
    Ok((repo, places))
}

/// Puts the blocks in.
///
/// # Errors
/// See [`Error`].
pub fn install(rehearsal: Rehearsal, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (repo, places) = places(env)?;
    // All is known before anything is written.
    let fresh = places.iter().map(Place::with).collect::<Result<Vec<_>, _>>()?;
    let _held = settings::hold(&repo)?;
    for (place, now) in places.iter().zip(&fresh) {
        let name = &place.name;
        match () {
            () if place.was.as_ref() == Some(now) => {
                out.result(&format!("unchanged {name}: canonry's block stands in it\n"))
            }
            () if rehearsal.dry_run => {
                rehearse(name, place.was.as_deref(), Some(now), out);
            }
            () => {
                standalone_file::replace(&place.path, now, Use::Text)?;
                let kept = if place.was.is_some() { ": canonry's block; all else in it is as it was" } else { "" };
                out.result(&format!("wrote     {name}{kept}\n"));
            }
        }
    }
    if !rehearsal.dry_run {
        out.result(
            "Here, git merges the memory with `canonry memory merge-driver`; commit .gitattributes, and clones without it\n\
             take the lines of both sides.\n\
             To take it back: `canonry uninstall merge-driver`.\n",
        );
    }
    Ok(Status::Done)
}

/// Takes the blocks out.
///
/// # Errors
/// See [`Error`].
pub fn uninstall(rehearsal: Rehearsal, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (repo, places) = places(env)?;
    let left = places.iter().map(Place::without).collect::<Result<Vec<_>, _>>()?;
    let _held = settings::hold(&repo)?;
    let mut found = false;
    // The attributes go first: one that names a driver which is gone would have git merge by lines.
    for (place, now) in places.iter().zip(&left).rev() {
        let (name, was) = (&place.name, place.was.as_deref());
        if now.as_deref().unwrap_or_default() == was.unwrap_or_default() {
            continue;
        }
        found = true;
        match now {
            _ if rehearsal.dry_run => {
                rehearse(name, was, now.as_deref(), out);
            }
            Some(now) => {
                standalone_file::replace(&place.path, now, Use::Text)?;
                out.result(&format!("wrote     {name}: canonry's block is out, all else is as it was\n"));
            }
            None => {
                standalone_file::remove(&place.path)?;
                out.result(&format!("removed   {name}\n"));
            }
        }
    }
    if !found {
        out.result("Nothing to take out: no file of git's names the driver.\n");
    }
    Ok(Status::Done)
}
