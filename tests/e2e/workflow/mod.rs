//! `canonry run` with workflows: one module per subject.

mod absent;
mod commits;
mod dialects;
mod dynamic;
mod fan_out;
mod guard;
mod human;
mod journal;
mod kill;
mod limits;
mod people;
mod queue;
mod versions;
mod walk;
