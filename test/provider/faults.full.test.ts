import { afterAll, expect, test } from "bun:test";
import { OpenFeature, ProviderEvents, ProviderStatus } from "@openfeature/server-sdk";
import { FormflagProvider } from "../../src/provider/server.ts";
import { onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/executable.ts";
import { freePort } from "../support/peers/ports.ts";
import { startShopServer } from "../support/shop-server.ts";

afterAll(() => OpenFeature.close());

/** Runs the executable, and a provider that follows it, with the events that it has. */
async function follow(domain: string) {
  const listen = ["--listen", `127.0.0.1:${freePort()}`];
  const first = await startServer(listen);
  const cli = onData(first.data);
  await cli.json("projects", "create", "shop");
  const place = ["-p", "shop", "-e", "production"];
  const create = ["tokens", "create", "rules", "--scope", "flags:sync", ...place];
  const { token } = await cli.json<{ token: string }>(...create);
  const set = (value: number) =>
    cli.json("flags", "set", "count", ...place, "--on", "--variants", `{"v":${value}}`, "--default", "v");
  await set(0);
  const provider = new FormflagProvider({ url: first.url, token, silence: 1000 });
  await OpenFeature.setProviderAndWait(domain, provider);
  const client = OpenFeature.getClient(domain);
  const heard: string[] = [];
  for (const name of ["Ready", "Stale", "Error"] as const)
    client.addHandler(ProviderEvents[name], () => void heard.push(name));
  const value = () => client.getNumberValue("count", -1);
  return { first, again: () => startServer(listen, { data: first.data }), set, client, heard, value };
}

test("no change is missed or taken back while the server is killed again and again", async () => {
  const { first, again, set, value } = await follow("killed");
  let server = first;
  let last = 0;
  const takenBack: string[] = [];
  const look = async () => {
    const now = await value();
    if (now < last) takenBack.push(`${now} after ${last}`);
    last = now;
  };
  const read = setInterval(() => void look(), 1);
  for (let change = 1; change <= 40; change += 1) {
    await set(change);
    if (change % 8 === 0) {
      await server.stop("SIGKILL");
      await set(change + 0.5);
      server = await again();
    }
    // Some changes follow each other at once.
    if (change % 3 === 0) await eventually(`change ${change}`, async () => (await value()) >= change);
  }
  await eventually("the last change", async () => (await value()) === 40.5);
  clearInterval(read);
  expect(takenBack).toEqual([]);
});

test("a server that is frozen leaves the last flags, is said to be stale, and is ready once it goes on", async () => {
  const { first, set, client, heard, value } = await follow("frozen");
  await eventually("its stream", () => first.stderr().length > 0);
  await set(1);
  await eventually("the change", async () => (await value()) === 1);
  process.kill(first.pid, "SIGSTOP");
  await eventually("stale", () => client.providerStatus === ProviderStatus.STALE);
  await set(2);
  expect(await value()).toBe(1);
  process.kill(first.pid, "SIGCONT");
  await eventually("ready", () => client.providerStatus === ProviderStatus.READY);
  expect(await value()).toBe(2);
  expect(heard.at(-1)).toBe("Ready");
  await first.stop();
});

test("changes arrive also where no stream passes, or what passes is held back", async () => {
  const shop = await startShopServer();
  const { token } = await shop.tokenFor("flags:sync");
  const isStream = (request: Request) => request.headers.get("accept") === "text/event-stream";
  await shop.set("sale", { enabled: true });
  shop.answerWith((request, pass) => {
    if (!isStream(request)) return pass(request);
    const never = new ReadableStream();
    return new Response(never, { headers: { "content-type": "text/event-stream" } });
  });
  await OpenFeature.setProviderAndWait("held", new FormflagProvider({ url: shop.url, token }));
  const client = OpenFeature.getClient("held");
  await shop.set("sale", { enabled: false });
  await eventually("the change", async () => !(await client.getBooleanValue("sale", true)));
  expect(client.providerStatus).toBe(ProviderStatus.READY);
  shop.answerWith((request, pass) =>
    isStream(request) ? new Response("no", { status: 502 }) : pass(request),
  );
  await shop.set("sale", { enabled: true });
  await eventually("the next change", () => client.getBooleanValue("sale", false));
  expect(client.providerStatus).toBe(ProviderStatus.READY);
});
