//! The arguments of `canonry dream`.

use crate::app::Error;
use crate::canon::stamp::Stamp;
use crate::cli::format::Format;
use crate::cli::when;
use crate::memory::Ruleset;

/// Consolidates memory: recurring episodes become lessons, old ones of little weight move to snapshots.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Meant for every night; a second run on the same log changes nothing. `canonry install cron` sets it up."
)]
pub struct Args {
    /// Write nothing; tell what a run would do, as JSON unless --format says otherwise
    #[arg(long)]
    pub dry_run: bool,
    /// The moment that counts as now, RFC 3339; without a zone it is UTC
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,
    /// Leave what was written uncommitted
    #[arg(long)]
    pub no_commit: bool,
    /// Follow the rules of another system exactly
    #[arg(long, value_enum)]
    pub compat: Option<Compat>,
    /// How the outcome is written
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

/// The systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Compat {
    /// The nightly script that this memory layout comes from: literal keys, linear decay, lessons known by their text
    Seed,
}

impl Args {
    pub fn ruleset(&self) -> Ruleset {
        match self.compat {
            Some(Compat::Seed) => Ruleset::Seed,
            None => Ruleset::Current,
        }
    }

    pub fn format(&self) -> Format {
        let default = if self.dry_run { Format::Json } else { Format::Human };
        self.format.unwrap_or(default)
    }

    /// The moment that counts as now.
    ///
    /// # Errors
    /// A time that cannot be read.
    pub fn now(&self) -> Result<Stamp, Error> {
        when::now(self.now.as_deref())
    }
}
