// An MCP server with two tools, `shown` and `hidden`, over standard input and output.
import { createInterface } from "node:readline";

const tools = ["shown", "hidden"].map((name) => ({
  name,
  description: `MARK-TOOL-${name.toUpperCase()}`,
  inputSchema: { type: "object", properties: {} },
}));

const answers = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "canary", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": (params) => ({ content: [{ type: "text", text: `called ${params.name}` }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const result = answer ? { result: answer(params) } : { error: { code: -32601, message: "not found" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...result }) + "\n");
}
