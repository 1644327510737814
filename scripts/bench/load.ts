import { join } from "node:path";
import { type Server, pinned } from "./process.ts";

/** The request that a load repeats. */
export type Request = {
  path: string;
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: Uint8Array | string;
};

export type LoadResult = {
  /** Answers a second with a status of 2xx or 3xx. */
  perSecond: number;
  failures: number;
  /** Seconds of CPU that the server spent on one answer. */
  cpuEach: number;
};

type Load = {
  connections: number;
  seconds: number;
  directory: string;
  /** Whether each JSON body gets a number of its own. `wrk` alone can. */
  isUnique?: boolean;
};

/** Sends as fast as it is answered, on so many connections, for so many seconds: `wrk` if it is installed, else autocannon. */
export async function closedLoop(
  server: Server,
  request: Request,
  { connections, seconds, directory, isUnique = false }: Load,
): Promise<LoadResult> {
  const cpu = server.cpu();
  const run = Bun.which("wrk") ? runWrk : runAutocannon;
  const { total, failures, duration } = await run(
    server.url,
    request,
    connections,
    seconds,
    directory,
    isUnique,
  );
  const good = total - failures;
  return { perSecond: good / duration, failures, cpuEach: (server.cpu() - cpu) / Math.max(1, good) };
}

type Counted = { total: number; failures: number; duration: number };

async function runWrk(
  url: string,
  request: Request,
  connections: number,
  seconds: number,
  directory: string,
  isUnique: boolean,
): Promise<Counted> {
  const script = join(directory, "load.lua");
  const body = join(directory, "load.body");
  await Bun.write(body, request.body ?? "");
  const headers = Object.entries(request.headers ?? {}).map(
    ([name, value]) => `wrk.headers["${name}"] = "${value.replaceAll('"', '\\"')}"`,
  );
  await Bun.write(
    script,
    `wrk.method = "${request.method ?? "GET"}"
${headers.join("\n")}
local file = io.open("${body}", "rb")
local body = file:read("*a")
if #body > 0 then wrk.body = body end
${isUnique ? UNIQUE : ""}
done = function(summary)
  local errors = summary.errors
  io.write(string.format("counted %d %d %d\\n", summary.requests, errors.status + errors.connect + errors.read + errors.write + errors.timeout, summary.duration))
end
`,
  );
  const threads = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s"];
  const child = Bun.spawn(pinned(1, ["wrk", ...threads, "-s", script, `${url}${request.path}`]), {
    stdout: "pipe",
  });
  const counted = /counted (\d+) (\d+) (\d+)/.exec(await new Response(child.stdout).text());
  if (!counted) throw new Error("wrk printed no result");
  return { total: Number(counted[1]), failures: Number(counted[2]), duration: Number(counted[3]) / 1e6 };
}

const UNIQUE = `local seed = os.time() % 100000
local count = 0
request = function()
  count = count + 1
  return wrk.format(nil, nil, nil, string.format('{"n":"%d-%d",', seed, count) .. string.sub(body, 2))
end`;

async function runAutocannon(
  url: string,
  request: Request,
  connections: number,
  seconds: number,
): Promise<Counted> {
  const { default: autocannon } = await import("autocannon");
  const result = await autocannon({
    url: `${url}${request.path}`,
    connections,
    duration: seconds,
    method: request.method ?? "GET",
    headers: request.headers ?? {},
    ...(request.body === undefined ? {} : { body: Buffer.from(request.body) }),
  });
  return {
    total: result["2xx"] + result["3xx"] + result.non2xx,
    failures: result["4xx"] + result["5xx"] + result.errors,
    duration: result.duration,
  };
}

/**
 * Sends on a fixed schedule, whether or not answers come, and measures each from the moment it was due: a stall counts
 * for every request that was due in it. Returns the latencies in milliseconds, sorted.
 */
export async function openLoop(
  url: string,
  { method = "GET", headers = {}, body }: Omit<Request, "path">,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<number[]> {
  const child = Bun.spawn(
    pinned(1, [
      process.execPath,
      join(import.meta.dir, "open-loop.ts"),
      url,
      JSON.stringify({ method, headers, body }),
      String(perSecond),
      String(seconds),
    ]),
    { stdout: "pipe" },
  );
  return JSON.parse(await new Response(child.stdout).text()) as number[];
}

export function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
