import { join } from "node:path";
import { compare } from "./compare.ts";
import type { Rounds, Show } from "./figure.ts";
import { createFlags, createProject, startFormflag, startLimit } from "./formflag.ts";
import { startNginx } from "./nginx.ts";

const ONE = "/api/v1/flags/flag-00050";
const ALL = "/api/v1/flags";

/** Flag reads against a handler that checks two headers and sends the same bytes, headers included. */
export async function measureReads(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const data = join(directory, "reads");
  const server = await startFormflag(data);
  const [headers = {}] = await createProject(data, "bench");
  await createFlags(data, "bench", "bench", 100);
  const common = { part: "reads", connections: 32, directory };

  for (const [what, path] of [
    ["one flag", ONE],
    ["100 flags", ALL],
  ] as const) {
    const answer = await fetch(server.url + path, { headers });
    const request = { path, headers };
    const file = join(directory, "answer.json");
    const { date: _date, "content-length": _length, ...sent } = answer.headers.toJSON();
    const body = await answer.text();
    await Bun.write(file, JSON.stringify({ headers: sent, body }));
    const bare = await startLimit("read", [file]);
    const full = { server, request };
    show(
      await compare(
        full,
        { server: bare, request },
        { ...common, name: `${what}, to the bare handler`, goal: "≥ 0.90" },
        rounds,
      ),
    );
    await bare.stop();
    const nginx = await startNginx(directory, sent, body);
    if (nginx) {
      show(
        await compare(
          full,
          { server: nginx, request },
          { ...common, name: `${what}, beside nginx sending the same bytes`, goal: null },
          rounds,
        ),
      );
      await nginx.stop();
    }

    const conditional = {
      server,
      request: { path, headers: { ...headers, "if-none-match": sent["etag"]! } },
    };
    show(
      await compare(
        conditional,
        full,
        { ...common, name: `${what} as 304, to the full read`, goal: "≥ 1.0" },
        rounds,
      ),
    );
  }
  await server.stop();
}
