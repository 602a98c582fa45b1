//! The form under which names are compared.

use gix::bstr::ByteSlice;
use unicode_normalization::UnicodeNormalization;

/// The form under which two names are the same folder on some file system: NFKC, then lower case.
pub fn fold_name(name: &[u8]) -> String {
    if name.is_ascii() {
        return name.to_str_lossy().to_ascii_lowercase();
    }
    name.to_str_lossy().nfkc().collect::<String>().to_lowercase()
}
