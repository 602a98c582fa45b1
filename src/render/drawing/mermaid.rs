//! A drawing as Mermaid, which other programs lay out.

use super::{Drawing, DrawnNode, MARKED, NodeShape};
use canonry_text::printable::one_line;
use std::fmt::Write as _;

/// A Mermaid flowchart.
pub fn to_mermaid(drawing: &Drawing<'_>) -> String {
    let mut text = "flowchart TD\n".to_owned();
    for (at, node) in drawing.nodes.iter().enumerate() {
        let (open, close) = match node.shape {
            NodeShape::Box | NodeShape::Part => ("[", "]"),
            NodeShape::Hexagon => ("{{", "}}"),
            NodeShape::Pill => ("([", "])"),
        };
        let _ = writeln!(text, "    s{at}{open}\"{}\"{close}:::{}", mermaid_label(&full(node)), node.class.name);
    }
    for edge in &drawing.edges {
        let arrow = if edge.is_dashed { "-.->" } else { "-->" };
        let label = if edge.label.is_empty() { String::new() } else { format!("|\"{}\"|", mermaid_label(&edge.label)) };
        let _ = writeln!(text, "    s{} {arrow}{label} s{}", edge.from, edge.to);
    }
    for class in &drawing.classes {
        let _ = writeln!(text, "    classDef {} fill:{},color:#000", class.name, class.fill);
    }
    let marked: Vec<String> =
        drawing.edges.iter().enumerate().filter(|(_, edge)| edge.is_marked).map(|(at, _)| at.to_string()).collect();
    if !marked.is_empty() {
        let _ = writeln!(text, "    linkStyle {} stroke:{MARKED},stroke-width:2px", marked.join(","));
    }
    text
}

fn full(node: &DrawnNode<'_>) -> String {
    if node.suffix.is_empty() { node.label.to_string() } else { format!("{} ({})", node.label, node.suffix) }
}

/// Everything but letters, digits and a few marks becomes a numeric entity, because labels can contain Markdown and HTML.
fn mermaid_label(id: &str) -> String {
    let escaped = |c: char| match c {
        c if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ') => c.to_string(),
        c => format!("#{};", u32::from(c)),
    };
    one_line(id).chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_leave_their_quotes() {
        assert_eq!(mermaid_label("a\"]; click `b` <i>#"), "a#34;#93;#59; click #96;b#96; #60;i#62;#35;");
    }
}
