import { afterAll, describe, expect, test } from "bun:test";
import * as z from "zod/mini";
import { remoteTransport } from "../../../cli/session/remote.ts";
import { OPERATIONS } from "../../../src/operations/all.ts";
import type { Operation } from "../../../src/operations/operation.ts";
import { type Schema, examplesOf, wrongOf } from "../../support/answers.ts";

/** The server answers with this. */
let answer: Response;
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => answer });
afterAll(() => server.stop(true));
const transport = remoteTransport({ server: server.url.origin, token: "x", ca: null });

/** What a command gets for an answer of a server. */
async function received(operation: Operation, value: unknown): Promise<unknown> {
  answer = value === undefined ? new Response(null, { status: 204 }) : Response.json(value);
  const names = Object.fromEntries([...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, "x"]));
  return (await transport.send(operation, { names })).value;
}

/** What zod finds wrong with a value, but for the format of texts and the limits of numbers and lists. */
function faultsOf(schema: Schema, value: unknown): unknown[] {
  const kinds = new Set(["invalid_type", "unrecognized_keys", "invalid_value"]);
  return (z.safeParse(schema, value).error?.issues ?? []).filter(({ code }) => kinds.has(code));
}

const operations = OPERATIONS.filter(({ media }) => media === undefined);

describe.each(operations.map((each) => [`${each.method} ${each.path}`, each] as const))(
  "a command that gets the answer of %s from a server",
  (_, operation) => {
    test("takes everything that the operation may return", async () => {
      const { output } = await operation.schemas();
      const examples = output === undefined ? [undefined] : examplesOf(output);
      for (const example of examples) {
        if (output !== undefined) expect(faultsOf(output, example)).toEqual([]);
        expect(await received(operation, example)).toEqual(example);
      }
    });

    test("refuses an answer in which one value is of another kind", async () => {
      const { output } = await operation.schemas();
      const taken = [];
      for (const { path, value } of output === undefined ? [] : wrongOf(output)) {
        const error = await received(operation, value).then(() => null, String);
        if (!error?.includes("did not answer as a formflag server")) taken.push({ path, error });
      }
      expect(taken).toEqual([]);
    });
  },
);
