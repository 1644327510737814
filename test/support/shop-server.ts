import { afterAll } from "bun:test";
import type { Scope } from "../../src/access/scope.ts";
import { createToken, revokeToken } from "../../src/access/tokens.ts";
import { createExperiment } from "../../src/experiments/experiments.ts";
import { startExperiment } from "../../src/experiments/lifecycle.ts";
import type { FlagPatch } from "../../src/flags/flag.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { readsOfFlags } from "../../src/flags/reads/flag-reads.ts";
import { setSegment } from "../../src/flags/segments.ts";
import { createSite } from "../../src/http/site.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "./app.ts";
import { plantFlag } from "./records/apply.ts";
import { OPERATOR } from "./records/caller.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/** A server on a socket with the environment `shop/live`, whose answers a test replaces, and which it stops and starts. */
export async function startShopServer() {
  const app = openTestApp();
  const services = openServices(app);
  const site = createSite(services, { ...siteOptions(app), report: services.report });
  await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
  const place = { project: "shop", environment: "live" };
  const pass: Answer = (request) => site.fetch(request, () => "127.0.0.1");
  let answer = pass;
  // A request itself cannot be read any more once its server has stopped.
  const requests: { url: string; headers: Headers }[] = [];
  const listen = (port: number) =>
    Bun.serve({
      hostname: "127.0.0.1",
      port,
      idleTimeout: 0,
      fetch: (request) => {
        requests.push({ url: request.url, headers: new Headers(request.headers) });
        return answer(request);
      },
    });
  let server = listen(0);
  const port = server.port!;
  afterAll(() => server.stop(true));
  let tokens = 0;
  return {
    url: server.url.origin,
    /** What was asked, in order. */
    requests,
    paths: () => requests.map(({ url }) => new URL(url).pathname),
    stop: () => server.stop(true),
    start: () => void (server = listen(port)),
    /** Answers all requests from now on; `pass` does as the server does. */
    answerWith: (by: (request: Request, pass: Answer) => Response | Promise<Response>) =>
      void (answer = (request) => by(request, pass)),
    set: (flag: string, patch: FlagPatch) => setFlag(app, OPERATOR, { ...place, flag }, patch),
    /** Sets a flag, unchecked. */
    plant: (flag: string, patch: FlagPatch) => plantFlag(app, { ...place, flag }, patch),
    setSegment: (segment: string, rule: object) => setSegment(app, OPERATOR, { ...place, segment }, rule),
    /** Starts an experiment of the flag, which counts the event `signup`. */
    startExperiment: async (flag: string) => {
      const at = { ...place, experiment: `try-${flag}` };
      await createExperiment(app, OPERATOR, at, { flag, metrics: ["event:signup"] });
      await startExperiment(app, OPERATOR, at);
    },
    /** How many users of the flag are counted, and how many of them signed up. */
    measured: async (flag: string) => {
      const { variants } = (await app.store.measurements.counts({ ...place, flag }))!;
      const all = Object.values(variants);
      const sum = (of: (each: (typeof all)[number]) => number) =>
        all.reduce((sum, each) => sum + of(each), 0);
      return [sum(({ visitors }) => visitors), sum(({ conversions }) => conversions["event:signup"] ?? 0)];
    },
    /** How often a flag was read within a day. */
    readsOf: async (flag: string) => (await readsOfFlags(app, OPERATOR, { project: "shop", flag }))[0]?.reads,
    tokenFor: async (scope: Scope) => {
      const name = `t${(tokens += 1)}`;
      const { token } = await createToken(app, OPERATOR, { name, scopes: [scope], ...place });
      return { token, revoke: () => revokeToken(app, OPERATOR, name) };
    },
  };
}
