//! Commits named paths: `commit_only [--literal] REPO MESSAGE PATHSPEC…`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use canonry_app::Environment;
use canonry_app::commit::{self, CommitRequest, CommitSelection, GitHooks};
use gix::bstr::BString;

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let literal = args.first().is_some_and(|arg| arg == "--literal");
    if literal {
        args.remove(0);
    }
    match run(&args, literal) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String], literal: bool) -> Result<(), Box<dyn Error>> {
    let [repo, message, paths @ ..] = args else {
        return Err("usage: commit_only [--literal] REPO MESSAGE PATHSPEC…".into());
    };
    let environment = Environment { cwd: PathBuf::from(repo), ..Environment::isolated() };
    let paths: Vec<BString> = paths.iter().map(|path| path.as_str().into()).collect();
    let selection = match literal {
        true => CommitSelection::Literal(&paths),
        false => CommitSelection::Pathspecs(&paths),
    };
    match commit::run(&environment, &CommitRequest { selection, message, hooks: GitHooks::Run })? {
        None => println!("nothing to commit"),
        Some(done) => {
            println!("{}", done.id);
            for change in done.changes {
                println!("{:?} {}", change.kind, change.path);
            }
        }
    }
    Ok(())
}
