//! Workflows of just-do-it, which are almost those of the canon's orchestrator dialects.

use super::super::workflow_files::{
    ConvertedWorkflow, WorkflowText, file_name, is_true, text_of, yaml_scalar, yaml_text,
};
use super::prompt::{PromptContext, template};
use canonry_text::Span;
use canonry_text::node::{MappingEntry, Node};
use std::collections::{BTreeMap, BTreeSet};

/// The agent of steps without one, in workflows whose steps are a map.
const DEFAULT_AGENT: &str = "general-purpose";
/// The keyword that ends a run. Only the list has it.
const TASK_DONE: &str = "TASK_DONE";

/// Converts a workflow.
///
/// # Errors
/// It is not a workflow, or just-do-it itself would refuse it; a reason.
pub(super) fn convert(
    source: &WorkflowText,
    stem: &str,
    parameters: &BTreeMap<String, String>,
) -> Result<ConvertedWorkflow, String> {
    let root = &source.root;
    let steps = root.get("steps").ok_or("it has no `steps`")?;
    let steps: Vec<StepSource<'_>> = match steps.as_sequence() {
        Some(items) => items.iter().map(|item| listed(source, item)).collect::<Result<_, _>>()?,
        None => steps.entries().iter().map(routed).collect(),
    };
    if steps.is_empty() {
        return Err("it has no `steps`".to_owned());
    }
    let is_list = root.get("steps").and_then(Node::as_sequence).is_some();
    let own: BTreeMap<String, String> = own_parameters(root.get("parameters"));
    let all = parameters.iter().chain(&own).map(|(name, value)| (name.clone(), value.clone())).collect();
    let context =
        PromptContext { reports: steps.iter().flat_map(StepSource::report_names).collect(), parameters: &all };
    let mut writer = StepWriter {
        source,
        is_list,
        context,
        used: own.keys().cloned().collect(),
        workflow: ConvertedWorkflow { name: file_name(stem), ..ConvertedWorkflow::default() },
    };
    let mut body = String::new();
    for index in 0..steps.len() {
        body.push_str(&writer.step(&steps, index)?);
    }
    for entry in
        root.entries().iter().filter(|entry| !["name", "description", "steps", "parameters"].contains(&&*entry.key))
    {
        writer.no_counterpart(entry);
    }
    let mut yaml = format!("name: {}\n", yaml_text(text_of(root.get("name")).unwrap_or(stem)));
    if let Some(description) = text_of(root.get("description")) {
        yaml.push_str(&format!("description: {}\n", yaml_text(description)));
    }
    if !writer.used.is_empty() {
        yaml.push_str("parameters:\n");
        let value = |name: &String| all.get(name).map_or("null", String::as_str);
        yaml.extend(writer.used.iter().map(|name| format!("  {}: {}\n", yaml_text(name), value(name))));
    }
    writer.workflow.yaml = format!("{yaml}steps:\n{body}");
    Ok(writer.workflow)
}

/// `parameters` with their values as YAML, or a list of names.
fn own_parameters(node: Option<&Node>) -> BTreeMap<String, String> {
    let Some(node) = node else { return BTreeMap::new() };
    let names = node
        .as_sequence()
        .unwrap_or_default()
        .iter()
        .filter_map(|item| Some((text_of(Some(item))?.to_owned(), "null".to_owned())));
    let values = node.entries().iter().filter_map(|entry| Some((entry.key.clone(), yaml_scalar(&entry.value)?)));
    names.chain(values).collect()
}

/// A step of the source.
struct StepSource<'t> {
    name: String,
    span: Span,
    node: &'t Node,
}

fn listed<'t>(source: &WorkflowText, item: &'t Node) -> Result<StepSource<'t>, String> {
    let name =
        text_of(item.get("name")).ok_or_else(|| format!("line {}: a step has no name", source.line(item.span)))?;
    Ok(StepSource { name: name.to_owned(), span: item.span, node: item })
}

fn routed(entry: &MappingEntry) -> StepSource<'_> {
    StepSource { name: entry.key.clone(), span: entry.key_span, node: &entry.value }
}

impl StepSource<'_> {
    /// The names under which its report may be read: its own name, and the one it declares.
    fn report_names(&self) -> Vec<String> {
        let declared = self.report().map(str::to_owned);
        std::iter::once(self.name.clone()).chain(declared).collect()
    }

    fn report(&self) -> Option<&str> {
        let report = self.node.get("report")?;
        text_of(report.get("name")).or_else(|| report.as_str())
    }
}

struct StepWriter<'a> {
    source: &'a WorkflowText,
    /// Whether the steps are a list, with `conditions` and `next`; otherwise a map, with routes in `next`.
    is_list: bool,
    context: PromptContext<'a>,
    /// The parameters that prompts use.
    used: BTreeSet<String>,
    workflow: ConvertedWorkflow,
}

/// A route of the source. Without a keyword it is always taken.
struct RouteSource {
    keyword: Option<String>,
    target: String,
}

impl StepWriter<'_> {
    fn note(&mut self, span: Span, text: impl Into<String>) {
        self.workflow.notes.add(self.source.line(span), text);
    }

    fn no_counterpart(&mut self, entry: &MappingEntry) {
        self.note(entry.key_span, format!("`{}` has no counterpart and is left out", entry.key));
    }

    fn step(&mut self, steps: &[StepSource<'_>], index: usize) -> Result<String, String> {
        let step = &steps[index];
        let node = step.node;
        let name = yaml_text(&step.name);
        let (mut text, indent) =
            if self.is_list { (format!("  - name: {name}\n"), "    ") } else { (format!("  {name}:\n"), "    ") };
        let mut put = |key: &str, value: &str| text.push_str(&format!("{indent}{key}: {value}\n"));
        if let Some(description) = text_of(node.get("description")) {
            put("description", &yaml_text(description));
        }
        let children = node.get("parallel").and_then(Node::as_sequence).unwrap_or_default();
        if children.is_empty() {
            let default = (!self.is_list).then_some(DEFAULT_AGENT);
            if let Some(agent) = text_of(node.get("agent")).or(default) {
                put("agent", &yaml_text(agent));
                self.workflow.roles.insert(agent.to_owned());
            }
        }
        if let Some(prompt) = node.get("prompt").filter(|prompt| text_of(Some(prompt)).is_some()) {
            put("prompt", &self.template(&step.name, prompt, node.get("report")));
        }
        if let Some(report) = step.report() {
            put("report", &yaml_text(report));
        }
        if let Some(validation) = node.get("report").and_then(|report| report.get("validation")) {
            self.note(
                validation.span,
                "`validation` has no counterpart: an answer without its keywords takes the last route and does not end the run",
            );
        }
        let routes = self.routes(step)?;
        self.parallel(steps, index, children, &routes, &mut text);
        let human = node.get("human").and_then(yaml_scalar).filter(|human| human != "false" && human != "null");
        let child_asks = children.iter().find(|child| is_true(child.get("human")));
        if let Some(child) = child_asks.filter(|_| human.is_none()) {
            self.note(
                child.span,
                "`human` of a parallel agent applies to the whole step: just-do-it does not allow it here",
            );
        }
        if let Some(human) = human.or_else(|| child_asks.map(|_| "true".to_owned())) {
            text.push_str(&format!("{indent}human: {human}\n"));
        }
        if self.is_list {
            self.write_conditions(step, index + 1 == steps.len(), &routes, &mut text)
        } else {
            self.write_routes(step, &routes, &mut text)
        }
        const KNOWN: [&str; 13] = [
            "name",
            "description",
            "agent",
            "prompt",
            "report",
            "human",
            "next",
            "end",
            "conditions",
            "parallel",
            "check",
            "goto",
            "reject",
        ];
        for entry in node.entries().iter().filter(|entry| !KNOWN.contains(&entry.key.as_str())) {
            self.no_counterpart(entry);
        }
        Ok(text)
    }

    /// Writes the template of a prompt; returns its path.
    fn template(&mut self, name: &str, prompt: &Node, report: Option<&Node>) -> String {
        let line = self.source.line(prompt.span);
        let text = text_of(Some(prompt)).unwrap_or_default();
        let mut text = template(text, line, &self.context, &mut self.used, &mut self.workflow.notes);
        if let Some(format) = report.and_then(|report| text_of(report.get("format"))) {
            text.push_str(&format!("\n## Form of the report\n\n{}\n", format.trim_end()));
        }
        yaml_text(&self.workflow.add_template(name, text))
    }

    fn routes(&mut self, step: &StepSource<'_>) -> Result<Vec<RouteSource>, String> {
        let mut routes = Vec::new();
        let conditions = step.node.get("conditions").and_then(Node::as_sequence).unwrap_or_default();
        for condition in conditions {
            routes.extend(self.route(condition, "keyword"));
        }
        match step.node.get("next") {
            None if !self.is_list && step.node.get("goto").is_none() => {
                return Err(format!("line {}: the step `{}` has no `next`", self.source.line(step.span), step.name));
            }
            None => {}
            Some(next) => match next.as_sequence() {
                Some(items) => {
                    for item in items {
                        routes.extend(self.route(item, "if"));
                    }
                }
                None => routes.extend(self.route(next, "if")),
            },
        }
        routes.extend(step.node.get("goto").and_then(|goto| self.route(goto, "if")));
        Ok(routes)
    }

    fn route(&mut self, node: &Node, key: &str) -> Option<RouteSource> {
        let target = text_of(node.get("goto")).or_else(|| text_of(Some(node)));
        let Some(target) = target.map(str::to_owned) else {
            self.note(node.span, "a route without `goto` is left out");
            return None;
        };
        let keyword = text_of(node.get(key)).map(str::to_owned);
        if keyword.as_deref() == Some(TASK_DONE) {
            let text = if self.is_list {
                "the route for `TASK_DONE` is left out: the keyword ends the run"
            } else {
                "the route for `TASK_DONE` is left out: in canonry, the keyword always ends the run"
            };
            self.note(node.span, text);
            return None;
        }
        Some(RouteSource { keyword, target })
    }

    fn parallel(
        &mut self,
        steps: &[StepSource<'_>],
        index: usize,
        children: &[Node],
        routes: &[RouteSource],
        text: &mut String,
    ) {
        if children.is_empty() {
            return;
        }
        let step = &steps[index];
        text.push_str("    parallel:\n");
        for (number, child) in children.iter().enumerate() {
            let agent = text_of(child.get("agent")).unwrap_or(DEFAULT_AGENT);
            self.workflow.roles.insert(agent.to_owned());
            text.push_str(&format!("      - agent: {}\n", yaml_text(agent)));
            if let Some(prompt) = child.get("prompt").filter(|prompt| text_of(Some(prompt)).is_some()) {
                let path = self.template(&format!("{}-{number}", step.name), prompt, step.node.get("report"));
                text.push_str(&format!("        prompt: {path}\n"));
            }
            for entry in child.entries().iter().filter(|entry| !["agent", "prompt", "human"].contains(&&*entry.key)) {
                self.no_counterpart(entry);
            }
        }
        let check = text_of(step.node.get("check"));
        if check.is_none() {
            self.note(step.span, format!("`check` is missing in `{}`: wrote `all`, the stricter one", step.name));
        }
        let check = check.unwrap_or("all");
        text.push_str(&format!("    check: {}\n", yaml_text(check)));
        if check != "all" {
            return;
        }
        let given = step.node.get("reject").and_then(Node::as_sequence).unwrap_or_default();
        let given: Vec<String> = given.iter().filter_map(|word| text_of(Some(word)).map(str::to_owned)).collect();
        let reject = if given.is_empty() { self.rejecting(steps, index, routes) } else { given };
        if reject.is_empty() {
            self.note(
                step.span,
                format!(
                    "name the keywords with which an agent of `{}` rejects in `reject`: no route shows them",
                    step.name
                ),
            );
        } else {
            let words: Vec<String> = reject.iter().map(|word| yaml_text(word)).collect();
            text.push_str(&format!("    reject: [{}]\n", words.join(", ")));
        }
    }

    /// The keywords that reject the work. In the list, a keyword of a rejection wins over those of an approval; in the
    /// map, agents that disagree take the last route. Both are a keyword that leads where the approval does not.
    fn rejecting(&self, steps: &[StepSource<'_>], index: usize, routes: &[RouteSource]) -> Vec<String> {
        let fallback = routes.iter().find(|route| route.keyword.is_none()).map(|route| route.target.as_str());
        let position = |target: &str| steps.iter().position(|step| step.name == target);
        let leads_back = |target: &str| position(target).is_some_and(|at| at <= index);
        let is_rejecting = |target: &str| match (self.is_list, fallback) {
            (true, Some(next)) => target != next,
            (true, None) => leads_back(target),
            (false, fallback) => fallback == Some(target),
        };
        let keywords = routes.iter().filter_map(|route| Some((route.keyword.clone()?, route.target.as_str())));
        let (rejecting, others): (Vec<_>, Vec<_>) = keywords.partition(|(_, target)| is_rejecting(target));
        if !self.is_list && others.is_empty() {
            Vec::new()
        } else {
            rejecting.into_iter().map(|(keyword, _)| keyword).collect()
        }
    }

    fn write_conditions(&mut self, step: &StepSource<'_>, is_last: bool, routes: &[RouteSource], text: &mut String) {
        let conditional = routes.iter().filter_map(|route| Some((route.keyword.as_ref()?, &route.target)));
        let conditional: Vec<String> = conditional
            .map(|(keyword, target)| {
                format!("      - {{keyword: {}, goto: {}}}\n", yaml_text(keyword), yaml_text(target))
            })
            .collect();
        if !conditional.is_empty() {
            text.push_str(&format!("    conditions:\n{}", conditional.concat()));
        }
        let next = routes.iter().find(|route| route.keyword.is_none()).map(|route| route.target.as_str());
        let ends = is_true(step.node.get("end"));
        match next {
            Some(next) if ends => {
                let text = format!("`next: {next}` of `{}` is left out: `end: true` comes first", step.name);
                self.note(step.span, text);
            }
            Some("end") => return text.push_str("    end: true\n"),
            Some(next) => return text.push_str(&format!("    next: {}\n", yaml_text(next))),
            None => {}
        }
        if ends || is_last {
            if !ends {
                self.note(step.span, format!("added `end: true` to `{}`, the last step", step.name));
            }
            text.push_str("    end: true\n");
        }
    }

    fn write_routes(&mut self, step: &StepSource<'_>, routes: &[RouteSource], text: &mut String) {
        text.push_str("    next:\n");
        for route in routes {
            let condition = route.keyword.as_ref().map(|keyword| format!("if: {}, ", yaml_text(keyword)));
            text.push_str(&format!(
                "      - {{{}goto: {}}}\n",
                condition.unwrap_or_default(),
                yaml_text(&route.target)
            ));
        }
        if routes.last().is_none_or(|route| route.keyword.is_some()) {
            self.note(step.span, format!("added a last route to `abort` to `{}`: just-do-it aborts there", step.name));
            text.push_str("      - {goto: abort}\n");
        }
    }
}
