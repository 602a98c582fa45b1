//! Mutations of valid input.

use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// Tokens that often break parsers of these formats.
const TOKENS: [&str; 44] = [
    "---", "...", "\n", "\r\n", "\r", "\t", " ", ":", ": ", "- ", "#", " #", "&a", "*a", "<<: *a", "!!str ", "!x", "|",
    ">-", "{", "}", "[", "]", "\"", "'", "\\", "\\u", "\\ud83d", "null", "~", "1e999", "-0", "\0", "\u{feff}",
    "\u{2028}", "\u{85}", "é", "🇩🇪", "<!--", "-->", "](", "![", "`", "<b>",
];

pub struct Mutator<'a> {
    seeds: &'a [Vec<u8>],
    rng: TestRng,
}

impl<'a> Mutator<'a> {
    pub fn new(seeds: &'a [Vec<u8>], seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self { seeds, rng: TestRng::from_seed(RngAlgorithm::ChaCha, &bytes) }
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.rng.next_u64() % limit.max(1) as u64).unwrap()
    }

    /// A random position, every second time at the start of a line.
    fn place(&mut self, bytes: &[u8]) -> usize {
        let at = self.below(bytes.len() + 1);
        if self.below(2) == 0 {
            return at;
        }
        bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1)
    }

    pub fn input(&mut self) -> Vec<u8> {
        let at = self.below(self.seeds.len());
        let mut bytes = self.seeds[at].clone();
        for _ in 0..=self.below(6) {
            self.mutate(&mut bytes);
        }
        bytes.truncate(32_000);
        bytes
    }

    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        let a = self.place(bytes);
        let b = self.place(bytes);
        let from = a.min(b);
        let to = a.max(b);
        match self.below(8) {
            0 => drop(bytes.drain(from..to)),
            1 => {
                let part = bytes[from..to].to_vec();
                bytes.splice(from..from, part);
            }
            2 => {
                // Nest deeply instead of appending.
                let token = TOKENS[self.below(TOKENS.len())].repeat(1 + self.below(300));
                bytes.splice(from..from, token.into_bytes());
            }
            3 => {
                let other = &self.seeds[self.below(self.seeds.len())];
                let end = self.below(other.len() + 1);
                bytes.splice(from..to, other[..end].to_vec());
            }
            4 if !bytes.is_empty() => {
                let at = self.below(bytes.len());
                bytes[at] = u8::try_from(self.below(256)).unwrap();
            }
            5 => bytes.truncate(to),
            _ => {
                let token = TOKENS[self.below(TOKENS.len())];
                bytes.splice(from..from, token.bytes());
            }
        }
    }
}
