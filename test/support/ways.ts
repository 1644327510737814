import { join } from "node:path";
import { FlagdProvider } from "@openfeature/flagd-provider";
import { OpenFeature } from "@openfeature/server-sdk";
import { type Environment, compile } from "../../src/evaluator/evaluator.ts";
import { OPERATIONS } from "../../src/provider/flags.ts";
import { FormflagProvider } from "../../src/provider/server.ts";
import { startRelay } from "./peers/source.ts";
import { startWorker } from "./peers/workerd.ts";

/** What an application gets of a flag, whichever way it asks; `value` is missing where the default of its code applies. */
export type Result = { value?: unknown; variant?: string; reason?: string; errorCode?: string };

/** An environment of a running server, and tokens that read it. */
export type Place = {
  url: string;
  project: string;
  environment: string;
  /** Port of gRPC. */
  syncPort: number;
  evaluate: string;
  sync: string;
};

type Context = Record<string, unknown> & { targetingKey: string };
type Open = { evaluateAll: (context: Context) => Promise<Record<string, Result>>; close?: () => unknown };

/** A way to evaluate flags. */
export type Way = {
  name: string;
  open: (place: Place) => Promise<Open>;
  /** Whether it evaluates with flagd's own library, which some rules differ in. */
  isFlagd?: boolean;
};

const fileAt = async ({ url, project, environment, sync }: Place) => {
  const headers = { authorization: `Bearer ${sync}` };
  const answer = await fetch(`${url}/flagd/v1/${project}/${environment}.json`, { headers });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Environment;
};

const readingOfrep = ({ url, evaluate }: Place): Open => ({
  async evaluateAll(context) {
    const answer = await fetch(`${url}/ofrep/v1/evaluate/flags`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": evaluate },
      body: JSON.stringify({ context }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    const { flags } = (await answer.json()) as { flags: (Result & { key: string })[] };
    return Object.fromEntries(flags.map((each) => [each.key, each]));
  },
});

const EDGE = `import { FormflagEdge } from ${JSON.stringify(join(import.meta.dir, "../../src/provider/edge.ts"))};
let flags;
export default {
  async fetch(request, env) {
    flags ??= new FormflagEdge({ url: env.FLAGS_URL, token: env.FLAGS_TOKEN, timeout: 10_000 });
    if (!(await flags.load({ maxAge: 600_000 }))) throw flags.error;
    return Response.json(flags.evaluateAll(await request.json()));
  },
};`;

/** Every way: a further one is an entry here. */
export const WAYS: Way[] = [
  {
    name: "in the process, by the evaluator",
    async open(place) {
      const flags = compile(await fileAt(place), OPERATIONS);
      return {
        evaluateAll: async (context) =>
          Object.fromEntries(flags.keys.map((key) => [key, flags.evaluate(key, context)])),
      };
    },
  },
  { name: "over OFREP", open: async (place) => readingOfrep(place) },
  {
    name: "over OFREP, from a relay",
    async open(place) {
      const relay = await startRelay(place.url, place.sync);
      return { ...readingOfrep({ ...place, url: relay.url }), close: () => relay.stop() };
    },
  },
  {
    name: "by the provider of the package",
    async open({ url, sync }) {
      const provider = new FormflagProvider({ url, token: sync, timeout: 10_000 });
      await provider.initialize();
      return {
        evaluateAll: async (context) => provider.evaluateAll(context),
        close: () => provider.onClose(),
      };
    },
  },
  {
    name: "in a Worker, by the provider of the package for the edge",
    async open({ url, sync }) {
      const worker = await startWorker(EDGE, { FLAGS_URL: url, FLAGS_TOKEN: sync });
      return {
        async evaluateAll(context) {
          const answer = await fetch(worker.url, { method: "POST", body: JSON.stringify(context) });
          if (!answer.ok) throw new Error(await answer.text());
          return (await answer.json()) as Record<string, Result>;
        },
        close: () => worker.stop(),
      };
    },
  },
  {
    name: "by flagd's provider, in the process over gRPC",
    isFlagd: true,
    async open(place) {
      const { flags } = await fileAt(place);
      await OpenFeature.setProviderAndWait(
        "ways",
        new FlagdProvider({
          resolverType: "in-process",
          host: "127.0.0.1",
          port: place.syncPort,
          selector: place.sync,
        }),
      );
      const client = OpenFeature.getClient("ways");
      const methods = {
        boolean: (key: string, context: Context) => client.getBooleanDetails(key, false, context as never),
        string: (key: string, context: Context) => client.getStringDetails(key, "", context as never),
        number: (key: string, context: Context) => client.getNumberDetails(key, 0, context as never),
        object: (key: string, context: Context) => client.getObjectDetails(key, {}, context as never),
      };
      const evaluate = async (key: string, context: Context): Promise<Result> => {
        const type = typeof Object.values(flags[key]!.variants)[0] as keyof typeof methods;
        const { value, variant, reason, errorCode } = await methods[type](key, context);
        return {
          reason: reason!,
          ...(variant !== undefined && { value, variant }),
          ...(errorCode && { errorCode }),
        };
      };
      return {
        evaluateAll: async (context) =>
          Object.fromEntries(
            await Promise.all(
              Object.keys(flags).map(async (key) => [key, await evaluate(key, context)] as const),
            ),
          ),
        close: () => OpenFeature.clearProviders(),
      };
    },
  },
];
