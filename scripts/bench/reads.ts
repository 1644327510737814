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

  for (const [what, path, goals] of [
    ["one flag", ONE, { whole: ["≥ 0.92", "≤ 1.10"], unchanged: ["≥ 0.92", "≤ 1.10"] }],
    ["100 flags", ALL, { whole: ["≥ 1.00", "≤ 1.05"], unchanged: ["≥ 0.92", "≤ 1.10"] }],
  ] as const) {
    const answer = await fetch(server.url + path, { headers });
    const request = { path, headers };
    const file = join(directory, "answer.json");
    const { date: _date, "content-length": _length, ...sent } = answer.headers.toJSON();
    const body = await answer.text();
    await Bun.write(file, JSON.stringify({ headers: sent, body }));
    const bare = await startLimit("read", [file]);
    const full = { server, request };
    await compare(
      full,
      { server: bare, request },
      { ...common, name: `${what}, to the bare handler`, goal: goals.whole[0], cpuGoal: goals.whole[1] },
      rounds,
      show,
    );
    await bare.stop();
    const nginx = await startNginx(directory, sent, body);
    if (nginx) {
      await compare(
        full,
        { server: nginx, request },
        { ...common, name: `${what}, beside nginx sending the same bytes`, goal: null },
        rounds,
        show,
      );
      await nginx.stop();
    }

    const conditional = { path, headers: { ...headers, "if-none-match": sent["etag"]! } };
    const unchanged = await startLimit("read", [file, "unchanged"]);
    const [goal, cpuGoal] = goals.unchanged;
    await compare(
      { server, request: conditional },
      { server: unchanged, request: conditional },
      { ...common, name: `${what} as 304, to a bare 304`, goal, cpuGoal },
      rounds,
      show,
    );
    await unchanged.stop();
  }
  await server.stop();
}
