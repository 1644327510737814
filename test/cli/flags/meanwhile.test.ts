import { expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { runExecutable, startServer } from "../../support/executable.ts";

const HERE = ["-p", "shop", "-e", "develop"];
const COLORS = '{"red":"#f00","blue":"#00f","green":"#0f0"}';

/** A server with the flag `sale`, and a proxy in front of it that calls `before` ahead of the first change. */
async function openShop(before: () => Promise<unknown>) {
  const server = await startServer();
  const commands = onData(server.data);
  await commands.run("projects", "create", "shop");
  await commands.run("flags", "set", "sale", ...HERE, "--rollout", "10");
  const token = (await commands.run("tokens", "create", "ci")).stdout.trim();
  let changes = 0;
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method === "PATCH" && ++changes === 1) await before();
      const { pathname, search } = new URL(request.url);
      const body = request.method === "GET" ? undefined : await request.text();
      return fetch(`${server.url}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        body,
      });
    },
  });
  const env = { FORMFLAG_SERVER: proxy.url.href, FORMFLAG_TOKEN: token };
  return {
    commands,
    remote: (...args: string[]) => runExecutable(args, { env }),
    [Symbol.asyncDispose]: () => proxy.stop(true),
  };
}

test("a rollout never replaces variants that somebody else has just given the flag", async () => {
  let give: () => Promise<unknown> = async () => {};
  await using shop = await openShop(() => give());
  const { commands, remote } = shop;
  give = () =>
    commands.run(
      "flags",
      "set",
      "sale",
      ...HERE,
      "--variants",
      COLORS,
      "--default",
      "red",
      "--targeting",
      "none",
    );
  const { code, stderr } = await remote("flags", "set", "sale", ...HERE, "--rollout", "50");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining("--rollout is for a flag with two variants, true and false"),
  });
  const { variants } = await commands.json<{ variants: object }>("flags", "get", "sale", ...HERE);
  expect(variants).toEqual(JSON.parse(COLORS));
});

test("a flag that somebody else changes meanwhile is toggled from what it is by then", async () => {
  let turn: () => Promise<unknown> = async () => {};
  await using shop = await openShop(() => turn());
  const { commands, remote } = shop;
  turn = () => commands.run("flags", "set", "sale", ...HERE, "--on");
  expect((await remote("flags", "toggle", "sale", ...HERE)).stdout).toStartWith(
    "updated sale in shop/develop: off",
  );
});
