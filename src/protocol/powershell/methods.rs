//! What methods of .NET do, as shell commands.

use super::value::{Piece, Value};

/// Returns the result of a method call.
pub(super) fn method(name: &str, base: &Value, arguments: &[Value]) -> Value {
    let first = arguments.first();
    let path = |at: usize| arguments.get(at).map(|value| format!(" {}", value.path())).unwrap_or_default();
    let output = |commands: String| Value::new(Piece::Output(commands));
    let kind = base.literal().unwrap_or_default().to_lowercase();
    let is_file = kind.ends_with("file") || kind.ends_with("directory");
    match name.to_lowercase().as_str() {
        "readalltext" | "readalllines" | "readallbytes" | "readlines" | "opentext" | "openread" if is_file => {
            output(format!("cat{}", path(0)))
        }
        "writealltext" | "writealllines" | "writeallbytes" | "appendalltext" | "appendalllines" | "create"
        | "createtext" | "openwrite"
            if kind.ends_with("file") =>
        {
            output(format!("tee{}", path(0)))
        }
        "delete" if is_file => output(format!("rm -r{}", path(0))),
        "delete" => output(format!("rm -r {}", base.path())),
        "move" if is_file => output(format!("mv{}{}", path(0), path(1))),
        "copy" if is_file => output(format!("cp{}{}", path(0), path(1))),
        "downloadstring" | "downloaddata" | "getstringasync" | "getasync" | "getstreamasync" | "getbytearrayasync" => {
            output(format!("curl {}", first.map(Value::word).unwrap_or_default()))
        }
        "downloadfile" => output(format!("curl {} -o{}", first.map(Value::word).unwrap_or_default(), path(1))),
        "create" if kind.ends_with("scriptblock") => {
            output(format!("eval {}", first.map(Value::word).unwrap_or_default()))
        }
        "start" if kind.ends_with("process") => output(arguments.iter().map(Value::word).collect::<Vec<_>>().join(" ")),
        "invoke" | "invokescript" => output(format!("eval {}", first.unwrap_or(base).word())),
        "trim" | "trimend" | "trimstart" | "tostring" => base.clone(),
        // The commands in the values run anyway.
        _ => {
            let all = base.pieces.iter().chain(arguments.iter().flat_map(|value| &value.pieces));
            let run = all.filter(|piece| matches!(piece, Piece::Output(_))).cloned();
            Value { pieces: run.chain([Piece::Unknown]).collect() }
        }
    }
}
