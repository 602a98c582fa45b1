//! Pages that canonry writes.

/// Asserts that a page loads nothing, runs nothing, and closes its tags in order.
pub fn assert_self_contained(html: &str) {
    assert!(is_balanced(html), "{html}");
    let lower = html.to_lowercase();
    for banned in ["<script", "<img", "<link", "<iframe", "href=", "src=\"", "url(http", "@import", "xmlns"] {
        assert!(!lower.contains(banned), "{banned}");
    }
}

/// The text of a page has no `<` of its own.
fn is_balanced(html: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for tag in html.split('<').skip(1) {
        let Some((tag, _)) = tag.split_once('>') else { return false };
        let name = tag.split_whitespace().next().unwrap_or_default();
        if let Some(name) = name.strip_prefix('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') && !["!doctype", "meta"].contains(&name) {
            open.push(name);
        }
    }
    open.is_empty()
}
