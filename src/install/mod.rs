//! Floor 3: what is written into files that belong to others, as text: a block of a hook, an entry of a crontab. Pure;
//! whatever is not canonry's stays byte for byte.

pub mod block;
pub mod crontab;
pub mod merging;
pub mod script;
pub mod systemd;
