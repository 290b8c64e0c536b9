// The least that an agent's loop can be: ask, do what is asked for, write it down. What a step is measured against.
// Arguments: the provider's address, the file to append to.
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";

const [url, log] = process.argv.slice(2);

const run = (command) =>
  new Promise((resolve) => {
    let out = "";
    const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", (text) => {
      out += text;
    });
    child.on("close", () => resolve(out));
  });

const ask = async (messages) => {
  const body = JSON.stringify({ model: "steps", stream: true, messages });
  const response = await fetch(`${url}/chat/completions`, { method: "POST", body });
  let text = "";
  const call = { id: "", name: "", arguments: "" };
  for (const line of (await response.text()).split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const delta = JSON.parse(line.slice(6)).choices[0]?.delta ?? {};
    text += delta.content ?? "";
    const part = delta.tool_calls?.[0];
    if (!part) continue;
    call.id ||= part.id;
    call.name ||= part.function.name;
    call.arguments += part.function.arguments ?? "";
  }
  return { text, call: call.name === "" ? null : call };
};

const messages = [{ role: "user", content: "go" }];
const add = (message) => {
  messages.push(message);
  appendFileSync(log, `${JSON.stringify(message)}\n`);
};
for (;;) {
  const { text, call } = await ask(messages);
  if (!call) break;
  const { id, name, arguments: written } = call;
  add({
    role: "assistant",
    content: text,
    tool_calls: [{ id, type: "function", function: { name, arguments: written } }],
  });
  const wanted = JSON.parse(written);
  const content = name === "read" ? readFileSync(wanted.path, "utf8") : await run(wanted.command);
  add({ role: "tool", tool_call_id: id, content });
}
