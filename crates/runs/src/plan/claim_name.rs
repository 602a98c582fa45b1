//! Names of claims: which reference holds the claim of a step.

use canonry_text::RepoPath;

/// The folder of all claims.
pub const CLAIMS: &str = "refs/canonry/claims";

/// The longest encoded id. A file name has at most 255 bytes, and git appends `.lock`.
const MAX_LENGTH: usize = 200;
/// The bytes of a longer id that stay readable.
const READABLE_LENGTH: usize = 120;
/// Precedes the hash of a longer id. An escape never begins like this.
const HASHED: &str = "%-";

/// The name of a step's claim below [`CLAIMS`]: `<plan>/<step>`, both percent-encoded.
///
/// Different steps have different names, also on file systems that ignore case or normalize Unicode. A name always has
/// two parts, so the claims on `a` and `a/b` do not need the same path as a file and as a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimName {
    plan: String,
    step: String,
}

impl ClaimName {
    /// The name of a step's claim. `base` is the folder of the repository whose canon has the plan: two canons in one
    /// repository can have plans with the same id.
    pub fn new(base: &RepoPath, plan: &str, step: &str) -> Self {
        Self { plan: Self::plan_part(base, plan), step: encode(step.as_bytes()) }
    }

    /// The first part of the names of all claims on a plan.
    pub fn plan_part(base: &RepoPath, plan: &str) -> String {
        if base.is_empty() {
            return encode(plan.as_bytes());
        }
        // A plan's id has no slash, so this differs from all ids of plans of the repository's own canon.
        encode(&[base.as_bstr(), b"/".as_slice(), plan.as_bytes()].concat())
    }

    /// Parses `<plan>/<step>`.
    pub fn parse(text: &str) -> Option<Self> {
        let (plan, step) = text.split_once('/')?;
        let is_part = |part: &str| {
            part.len() <= MAX_LENGTH && part.bytes().all(|byte| is_word(byte) || byte == b'%' || byte == b'.')
        };
        let name = Self { plan: plan.to_owned(), step: step.to_owned() };
        let is_valid = gix_validate::reference::name(name.reference().as_str().into()).is_ok();
        (is_part(plan) && is_part(step) && is_valid).then_some(name)
    }

    /// The first part.
    pub fn plan(&self) -> &str {
        &self.plan
    }

    /// The full name of the reference.
    pub fn reference(&self) -> String {
        format!("{CLAIMS}/{self}")
    }

    /// Whether this is the claim of a step in the same plan.
    pub fn is_of_step(&self, step: &str) -> bool {
        self.step == encode(step.as_bytes())
    }

    /// The id of the step; `None` if it is too long to be in the name.
    pub fn step_id(&self) -> Option<String> {
        decode(&self.step)
    }
}

impl std::fmt::Display for ClaimName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.plan, self.step)
    }
}

/// Whether a byte never needs an escape. Upper-case letters would collide on file systems that ignore case.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
}

/// Whether a byte of an id needs no escape. git does not accept dots everywhere.
fn is_plain(id: &[u8], at: usize) -> bool {
    let is_alphanumeric = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    match id.get(at) {
        Some(b'.') => {
            let is_lock = id.get(at + 1..).is_some_and(|rest| rest.eq_ignore_ascii_case(b"lock"));
            at > 0 && is_alphanumeric(id.get(at - 1)) && is_alphanumeric(id.get(at + 1)) && !is_lock
        }
        Some(byte) => is_word(*byte),
        None => false,
    }
}

fn encode(id: &[u8]) -> String {
    let mut encoded = String::with_capacity(id.len());
    for (at, byte) in id.iter().enumerate() {
        if is_plain(id, at) {
            encoded.push(char::from(*byte));
        } else {
            encoded.push_str(&format!("%{byte:02x}"));
        }
    }
    if encoded.is_empty() {
        return "%".to_owned();
    }
    if encoded.len() > MAX_LENGTH {
        encoded.truncate(READABLE_LENGTH);
        encoded.push_str(HASHED);
        encoded.push_str(blake3::hash(id).to_hex().get(..32).unwrap_or_default());
    }
    encoded
}

fn decode(encoded: &str) -> Option<String> {
    if encoded == "%" {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let high = digit(rest.next())?;
            let low = digit(rest.next())?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
#[path = "claim_name_tests.rs"]
mod tests;
