import { expect, test } from "bun:test";
import { eventually } from "../../support/eventually.ts";
import { grpcClient } from "../../support/peers/grpc.ts";
import { bearer, startRelay, startSource } from "../../support/peers/source.ts";

const source = await startSource(["--flagd-listen", "127.0.0.1:0"], { addresses: 2 });
const { server, cli, place, set, tokens, keysOf } = source;
await cli.json("flags", "create", "offer", "-p", "shop");
await set("offer", "--on", "--requires", "hero", "--requires", "colour=blue");
await set("page", "--requires", "offer");

/** The variants of all flags for a member of the staff, the list for readers without a context, and the file of flagd. */
async function readNeeds(url: string) {
  const keys = keysOf("production");
  const body = JSON.stringify({ context: { targetingKey: "ann", email: "ann@example.com" } });
  const headers = { "content-type": "application/json" };
  const ask = async (path: string, init: RequestInit): Promise<unknown> =>
    (await fetch(url + path, init)).json();
  const ofrep = (token: string) =>
    ask("/ofrep/v1/evaluate/flags", { method: "POST", headers: { ...headers, ...bearer(token) }, body });
  const variantsOf = (answer: unknown) =>
    Object.fromEntries(
      (
        answer as { flags: { key: string; variant: string; metadata: { prerequisite?: string } }[] }
      ).flags.map(({ key, variant, metadata }) => [key, [variant, metadata.prerequisite]]),
    );
  const { flags } = (await ask("/api/v1/flags", { headers: keys })) as {
    flags: { slug: string; enabled: boolean }[];
  };
  return {
    app: variantsOf(await ofrep(tokens.evaluate)),
    browser: variantsOf(await ofrep(tokens.browser)),
    list: Object.fromEntries(flags.map(({ slug, enabled }) => [slug, enabled])),
    file: await ask("/flagd/v1/shop/production.json", { headers: bearer(tokens.sync) }),
  };
}

test("a relay and gRPC answer flags that need others as their source does, before and after a change of what they need", async () => {
  const relay = await startRelay(server.url, tokens.relay);
  const client = grpcClient(server.urls[1]!);
  const isEverywhere = async () => {
    const own = await readNeeds(server.url);
    await eventually("the relay answers the same", async () =>
      Bun.deepEquals(await readNeeds(relay.url), own),
    );
    expect(JSON.parse(await client.fetch({ token: tokens.sync }))).toEqual(own.file);
    return own;
  };
  const on = await isEverywhere();
  expect(on.app).toMatchObject({ offer: ["on", undefined], page: ["on", undefined] });
  // Readers without a context are not of the staff, and get blue by their share.
  expect(on.list).toMatchObject({ hero: true, offer: false, page: false });
  await cli.json("flags", "disable", "hero", ...place);
  const off = await isEverywhere();
  expect(off.app).toMatchObject({ offer: ["off", "hero"] });
  // Not the name of a flag that browsers do not read.
  expect(off.browser).toEqual({ page: ["off", undefined] });
  expect(await relay.stop()).toBe(0);
});
