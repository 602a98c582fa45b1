//! The arguments of `canonry dream`.

use crate::app::Error;
use crate::canon::timestamp::Timestamp;
use crate::cli::format::Format;
use crate::cli::when;
use crate::memory::Ruleset;

/// Consolidate the memory: promote recurring episodes to lessons, archive old ones
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Run it every night: `canonry install cron` sets that up. A second run on the same log changes nothing."
)]
pub struct Args {
    /// Write nothing; report what a run would do, as JSON unless --format is given
    #[arg(long)]
    pub dry_run: bool,
    /// Use this time as the current time: RFC 3339, UTC if it has no zone
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,
    /// Do not commit the written files
    #[arg(long)]
    pub no_commit: bool,
    /// Follow the rules of another system exactly
    #[arg(long, value_enum)]
    pub compat: Option<Compat>,
    /// Output format
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

/// A system whose rules `--compat` follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Compat {
    /// The script that introduced this memory layout: literal keys, linear decay, lessons compared by text
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
    pub fn now(&self) -> Result<Timestamp, Error> {
        when::now(self.now.as_deref())
    }
}
