import { FlagdCore } from "@openfeature/flagd-core";

/** The least that evaluates flags over OFREP: flagd's library, and an answer in JSON. */

const [port, file] = process.argv.slice(2);
const core = new FlagdCore();
core.setConfigurations(await Bun.file(file!).text());
const keys = [...core.getFlags().keys()];
const ALL = "/ofrep/v1/evaluate/flags";

const evaluate = (key: string, context: object) => {
  const { value, variant, reason, flagMetadata } = core.resolveStringEvaluation(key, "", context as never);
  return { key, value, variant, reason, metadata: flagMetadata };
};
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  development: false,
  routes: {
    [ALL]: async (request) => {
      const { context } = (await request.json()) as { context: object };
      return Response.json({ flags: keys.map((key) => evaluate(key, context)) });
    },
    [`${ALL}/:key`]: async (request) => {
      const { context } = (await request.json()) as { context: object };
      return Response.json(evaluate(request.params.key, context));
    },
  },
  fetch: () => new Response("ok"),
});
process.once("SIGTERM", () => void server.stop(true));
