import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";

const server = await startServer();
const local = onData(server.data);
const { key } = await local.json<{ key: string }>("forms", "create", "orders");
const token = (await local.json<{ token: string }>("tokens", "create", "all")).token;

const DATA = '{"big":12345678901234567890,"price":1.10,"huge":1e400,"list":[1.0,{"deep":-0}]}';
const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
  method: "POST",
  body: DATA,
  headers: { "Content-Type": "application/json" },
});
const { id } = (await answer.json()) as { id: string };

describe.each([
  ["on the data", ["--data", server.data], {}],
  ["on a server", ["--server", server.url], { FORMFLAG_TOKEN: token }],
])("%s, every digit of a number is printed by", (_, where, env) => {
  const run = async (...args: string[]) => (await formflag([...args, ...where], { env })).stdout;

  test.each([
    [["submissions", "get", id, "--json"]],
    [["submissions", "list", "orders", "--json"]],
    [["submissions", "list", "orders", "--where", "price=1.10", "--json"]],
    [["submissions", "list", "orders", "--search", "12345678901234567890", "--json"]],
    [["submissions", "export", "orders"]],
  ])("%p", async (args) => {
    expect((await run(...args)).replaceAll(/\s/g, "")).toContain(`"data":${DATA}`);
  });

  test("submissions get, list and --field for people, and CSV", async () => {
    const shown = await run("submissions", "get", id);
    for (const line of [/^big +12345678901234567890$/m, /^price +1\.10$/m, /^huge +1e400$/m])
      expect(shown).toMatch(line);
    expect(await run("submissions", "list", "orders")).toContain("big=12345678901234567890  price=1.10");
    expect(await run("submissions", "get", id, "--field", "data.price")).toBe("1.10\n");
    expect(await run("submissions", "get", id, "--field", "data.list")).toBe('[1.0,{"deep":-0}]\n');
    expect(await run("submissions", "export", "orders", "--format", "csv")).toContain(
      '12345678901234567890,1.10,1e400,"[1.0,{""deep"":-0}]"',
    );
  });
});
