//! Commits named paths: `commit_only [--literal] REPO MESSAGE PATHSPEC…`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use canonry::git::commit::{CommitRequest, GitHooks, Selection, commit};
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
            let mut text = error.to_string();
            let mut source = error.source();
            while let Some(cause) = source {
                text = format!("{text}: {cause}");
                source = cause.source();
            }
            eprintln!("error: {text}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String], literal: bool) -> Result<(), Box<dyn Error>> {
    let [repo, message, paths @ ..] = args else {
        return Err("usage: commit_only [--literal] REPO MESSAGE PATHSPEC…".into());
    };
    let repo = canonry::git::open::open(Path::new(repo))?;
    let paths: Vec<BString> = paths.iter().map(|path| path.as_str().into()).collect();
    let selection = match literal {
        true => Selection::Literal(&paths),
        false => Selection::Pathspecs(&paths),
    };
    match commit(&repo, &CommitRequest { selection, message, hooks: GitHooks::Run })? {
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
