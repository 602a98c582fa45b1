//! `canonry tour`

mod example;
mod scratch;
mod stage;

use super::output::Out;
use super::status::Status;
use crate::app::Environment;
use crate::app::Error;
use example::{EPISODE, HAND_EDIT, LESSONS, LOG, MENDS, NIGHT};
use scratch::{Head, Scratch};
use stage::{Program, Stage};

/// Show the main commands on an example in a scratch repository
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command; `program` is the whole of canonry, so that each step is what a person would see.
///
/// # Errors
/// A step that did not go as the tour tells, or a file system that failed.
pub fn run(program: Program, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let scratch = Scratch::create()?;
    let inside = Environment { cwd: scratch.top.clone(), ..env.clone() };
    let mut stage = Stage::new(program, inside, out);
    stage.say("canonry: one canon for every coding agent. This tour runs real commands in a scratch repository:");
    stage.show(&scratch.top.display().to_string());
    stage.say("Its folder agent/skills/ is the canon: three skills, two of them with mistakes.");
    mend(&scratch, &mut stage)?;
    mirror(&scratch, &mut stage)?;
    edit_by_hand(&scratch, &mut stage)?;
    dream(&scratch, &mut stage)?;
    farewell(&scratch, &mut stage);
    Ok(Status::Done)
}

fn mend(scratch: &Scratch, stage: &mut Stage<'_, '_>) -> Result<(), Error> {
    stage.heading("1. Check: what would a tool drop or get wrong?");
    stage.run(&["check"], Status::Findings)?;
    stage.say("\nEach finding says what to do; `canonry explain RULE` says why. Mended in an editor:\n");
    for mend in &MENDS {
        scratch.mend(mend)?;
        stage.show(&format!("{}\n  - {}\n  + {}", mend.path, mend.was, mend.now));
    }
    stage.say("");
    stage.run(&["check"], Status::Done)
}

fn mirror(scratch: &Scratch, stage: &mut Stage<'_, '_>) -> Result<(), Error> {
    stage.heading("2. Sync: give every tool its copy, and commit exactly that");
    stage.run(&["sync", "--commit", "-m", "Add our skills"], Status::Done)?;
    let head = scratch.head("release-notes")?;
    stage.say(&format!("\nThe commit, read back from git:\n{}", told(&head)));
    stage.say("Equal trees: the copies are the canon's byte for byte, and git stores each file once.");
    Ok(())
}

fn told(head: &Head) -> String {
    let Head { id, title, canon, mirrored, .. } = head;
    let mut text =
        format!("    {id} {title}\n    {canon} files of the canon and its lock, {mirrored} in the mirrors\n");
    for (tree, folders) in &head.folders {
        let (first, others) = (folders.first().map_or("", String::as_str), folders.len().saturating_sub(1));
        text.push_str(&format!("    tree {tree}: {first} and {others} mirrors\n"));
    }
    text
}

fn edit_by_hand(scratch: &Scratch, stage: &mut Stage<'_, '_>) -> Result<(), Error> {
    stage.heading("3. Drift: someone edits a mirror instead of the canon");
    let (path, line) = HAND_EDIT;
    scratch.append(path, line)?;
    stage.prompt(&format!("echo '{line}' >> {path}"));
    stage.run(&["sync", "--check"], Status::Findings)?;
    stage.say(
        "\nIn CI this ends with status 1. Nothing a person wrote is overwritten; the edit can become the canon's:\n",
    );
    stage.run(&["sync", "--adopt", path], Status::Done)
}

fn dream(scratch: &Scratch, stage: &mut Stage<'_, '_>) -> Result<(), Error> {
    stage.heading("4. Dream: what recurs becomes a lesson, what is old and light leaves the log");
    scratch.write(LOG.0, LOG.1)?;
    stage.say(
        "Agents log what they did. Here is a log of some weeks, its last line torn by a crash; one more episode:\n",
    );
    stage.run(&EPISODE, Status::Done)?;
    stage.say("\nEvery night, such as this one:\n");
    stage.run(&["dream", "--now", NIGHT], Status::Done)?;
    let lesson = scratch.last_line(LESSONS)?;
    stage.say(&format!("\nThe lesson, with the episodes behind it:\n\n    {lesson}"));
    Ok(())
}

fn farewell(scratch: &Scratch, stage: &mut Stage<'_, '_>) {
    stage.heading("Your turn");
    stage.say(&format!("The scratch repository stays at {}", scratch.top.display()));
    stage.say("In your own repository:\n");
    stage.show(
        "canonry init             make the canon, and take in what your tools have already\n\
         canonry check            what is wrong with it\n\
         canonry sync --commit    mirror the skills for each tool, and commit exactly that\n\
         canonry dream            consolidate the memory; `canonry install cron` does it every night",
    );
}
