//! A workflow of the durable dialect while it is put together.

use super::super::workflow_files::yaml_text;
use super::expressions::Test;

/// Where a run continues after a step or gate.
#[derive(Clone, Debug)]
pub(super) struct Continuation {
    /// Tests of the result, and where they lead.
    pub tests: Vec<(Test, String)>,
    /// Where everything else leads.
    pub otherwise: String,
}

impl Continuation {
    pub fn to(target: impl Into<String>) -> Self {
        Self { tests: Vec::new(), otherwise: target.into() }
    }

    /// Where a success or a failure leads.
    pub fn after_result(&self, succeeded: bool) -> &str {
        let found = self.tests.iter().find(|(test, _)| *test == Test::Succeeded(succeeded));
        found.map_or(&self.otherwise, |(_, target)| target)
    }

    /// Where a choice at a gate leads.
    pub fn after_choice(&self, choice: &str) -> &str {
        let applies = |test: &Test| match test {
            Test::Chose(value, equal) => (value == choice) == *equal,
            // A gate at which a person chooses has succeeded.
            Test::Succeeded(_) => false,
        };
        self.tests.iter().find(|(test, _)| applies(test)).map_or(&self.otherwise, |(_, target)| target)
    }
}

/// A step of the canon.
pub(super) struct FlowStep {
    pub name: String,
    pub owner: String,
    /// The path of its template.
    pub prompt: String,
    pub timeout: String,
    /// The fields of its output besides `passed` and `summary`, with their types.
    pub fields: Vec<(&'static str, &'static str)>,
    pub routes: Vec<(Option<String>, String)>,
    pub on_failure: String,
}

/// A gate of the canon.
pub(super) struct FlowGate {
    pub name: String,
    pub kind: &'static str,
    pub trigger: String,
    pub message: String,
    /// Values and where they lead.
    pub options: Vec<(String, String)>,
}

/// The steps and gates, in the order of the source.
#[derive(Default)]
pub(super) struct Flow {
    pub steps: Vec<FlowStep>,
    pub gates: Vec<FlowGate>,
}

impl Flow {
    /// The YAML of `steps` and `gates`.
    pub fn to_yaml(&self) -> String {
        let mut yaml = "steps:\n".to_owned();
        for step in &self.steps {
            let fields: String = step.fields.iter().map(|(name, kind)| format!(", {name}: {kind}")).collect();
            yaml.push_str(&format!(
                "  {}:\n    owner: {}\n    prompt: {}\n    context_mode: accumulate\n    timeout: {}\n    on_failure: {}\n    output:\n      file: {}\n      schema: {{passed: bool, summary: string{fields}}}\n    next:\n",
                yaml_text(&step.name),
                yaml_text(&step.owner),
                yaml_text(&step.prompt),
                step.timeout,
                yaml_text(&step.on_failure),
                yaml_text(&format!("{}.json", step.name)),
            ));
            for (condition, target) in &step.routes {
                let condition = condition.as_ref().map(|condition| format!("if: {}, ", yaml_text(condition)));
                yaml.push_str(&format!("      - {{{}goto: {}}}\n", condition.unwrap_or_default(), yaml_text(target)));
            }
        }
        if self.gates.is_empty() {
            return yaml;
        }
        yaml.push_str("gates:\n");
        for gate in &self.gates {
            yaml.push_str(&format!(
                "  - gate_id: {}\n    type: {}\n    trigger_condition: {}\n    message: {}\n    options:\n",
                yaml_text(&gate.name),
                gate.kind,
                yaml_text(&gate.trigger),
                yaml_text(&gate.message),
            ));
            for (value, target) in &gate.options {
                yaml.push_str(&format!("      - {{value: {}, goto: {}}}\n", yaml_text(value), yaml_text(target)));
            }
            // A gate of Spec Kit waits until somebody answers.
            yaml.push_str("    timeout: 7d\n    timeout_action: pause\n");
        }
        yaml
    }
}
