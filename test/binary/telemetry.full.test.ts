import { expect, test } from "bun:test";
import { formflag, onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

type Value = { stringValue?: string; intValue?: string };
type Item = {
  name?: string;
  kind?: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  eventName?: string;
  status?: object;
  attributes: { key: string; value: Value }[];
};
type Scope = { spans?: Item[]; logRecords?: Item[] };
type Body = {
  resourceSpans?: { resource: Pick<Item, "attributes">; scopeSpans: Scope[] }[];
  resourceLogs?: { resource: Pick<Item, "attributes">; scopeLogs: Scope[] }[];
};

const attributesOf = ({ attributes }: Pick<Item, "attributes">) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

/** A collector that keeps what it gets, and also takes webhooks. */
function openCollector(status = 200) {
  const bodies: { path: string; text: string; headers: Headers }[] = [];
  const hooks: Headers[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      if (path === "/hook") hooks.push(request.headers);
      else bodies.push({ path, text: await request.text(), headers: request.headers });
      return new Response("{}", { status: path === "/hook" ? 200 : status });
    },
  });
  const all = () => bodies.map(({ text }) => JSON.parse(text) as Body);
  return {
    url: server.url.href.replace(/\/$/, ""),
    bodies,
    hooks,
    spans: () =>
      all()
        .flatMap((body) => body.resourceSpans ?? [])
        .flatMap(({ scopeSpans }) => scopeSpans[0]!.spans!),
    records: () =>
      all()
        .flatMap((body) => body.resourceLogs ?? [])
        .flatMap(({ scopeLogs }) => scopeLogs[0]!.logRecords!),
    [Symbol.dispose]: () => void server.stop(true),
  };
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const NETWORK = { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };

async function begin(collector: { url: string }, args: string[], env: Record<string, string> = {}) {
  const data = tempDirectory();
  const here = onData(data, (line) => formflag(line, { env: NETWORK }));
  type Project = { key: string; environments: { slug: string; key: string }[] };
  const project = await here.json<Project>("projects", "create", "shop");
  await here.json("flags", "set", "sale", "-p", "shop", "-e", "develop", "--on");
  const { key } = await here.json<{ key: string }>("forms", "create", "contact");
  await here.json("targets", "add", "contact", `${collector.url}/hook`);
  const server = await startServer(["--otlp-endpoint", collector.url, ...args], {
    data,
    env: { ...NETWORK, ...env },
  });
  const keys = {
    "x-project-key": project.key,
    "x-environment-key": project.environments.find(({ slug }) => slug === "develop")!.key,
  };
  const evaluate = (flag: string, traceparent?: string) =>
    fetch(`${server.url}/ofrep/v1/evaluate/flags/${flag}`, {
      method: "POST",
      headers: {
        ...keys,
        "content-type": "application/json",
        ...(traceparent !== undefined && { traceparent }),
      },
      body: JSON.stringify({ context: { targetingKey: "ann@example.com" } }),
    });
  const submit = (headers: Record<string, string> = {}) =>
    fetch(`${server.url}/v1/s/${key}?mode=rest`, {
      method: "POST",
      headers,
      body: new URLSearchParams({ name: "Ann" }),
    });
  return { server, evaluate, submit, key, keys };
}

test("a submission is a span of its sender's trace, and its webhook one behind it, which the receiver sees", async () => {
  using collector = openCollector();
  const { submit, server } = await begin(collector, []);
  expect((await submit({ traceparent: `00-${TRACE}-${PARENT}-01` })).status).toBe(200);
  await eventually("both spans", () => collector.spans().length === 2);
  const [request, delivery] = collector.spans().toSorted((a, b) => a.kind! - b.kind!) as [Item, Item];
  expect(request).toMatchObject({
    name: "POST /v1/s/:form_key",
    kind: 2,
    traceId: TRACE,
    parentSpanId: PARENT,
    status: {},
  });
  expect(attributesOf(request)).toEqual({
    "http.request.method": "POST",
    "http.route": "/v1/s/:form_key",
    "http.response.status_code": 200,
  });
  expect(delivery).toMatchObject({
    name: "deliver webhook",
    kind: 3,
    traceId: TRACE,
    parentSpanId: request.spanId,
  });
  expect(collector.hooks[0]!.get("traceparent")).toBe(`00-${TRACE}-${delivery.spanId}-01`);
  await server.stop();
});

test("a broken trace begins a new one, and a caller that does not record its trace is followed", async () => {
  using collector = openCollector();
  const { evaluate, server } = await begin(collector, []);
  await evaluate("sale", `00-${TRACE}-${PARENT}-00`);
  await evaluate("sale", `00-${TRACE.replace(/./g, "0")}-${PARENT}-01`);
  await server.stop();
  const spans = collector.spans();
  expect(spans).toHaveLength(1);
  expect(spans[0]!.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
  expect(spans[0]!.parentSpanId).toBeUndefined();
});

test("evaluations are records without anything of their context, sent before the server ends", async () => {
  using collector = openCollector();
  const env = {
    OTEL_SERVICE_NAME: "flags",
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20secret",
    OTEL_EXPORTER_OTLP_COMPRESSION: "none",
  };
  const { evaluate, server, keys } = await begin(collector, ["--otlp-evaluations", "1"], env);
  await evaluate("sale");
  await evaluate("none");
  expect(await server.stop()).toBe(0);
  const [found, missing] = collector.records() as [Item, Item];
  expect(found.eventName).toBe("feature_flag.evaluation");
  expect(attributesOf(found)).toEqual({
    "feature_flag.key": "sale",
    "feature_flag.result.variant": "on",
    "feature_flag.result.reason": "static",
    "feature_flag.set.id": "shop/develop",
    "feature_flag.provider.name": "formflag",
  });
  expect(attributesOf(missing)).toMatchObject({ "feature_flag.key": "none", "error.type": "flag_not_found" });
  expect(found.spanId).toBe(collector.spans()[0]!.spanId);
  const { headers, text } = collector.bodies[0]!;
  expect([headers.get("api-key"), headers.has("transfer-encoding")]).toEqual(["a secret", false]);
  expect(text).toContain('{"key":"service.name","value":{"stringValue":"flags"}}');
  const sent = collector.bodies.map((body) => body.text).join("");
  for (const secret of ["ann@example.com", ...Object.values(keys)]) expect(sent).not.toContain(secret);
  expect(server.stderr()).not.toContain("secret");
});

test("threads of a server send theirs too", async () => {
  using collector = openCollector();
  const { evaluate, server } = await begin(collector, ["--threads", "2"]);
  await Promise.all(Array.from({ length: 20 }, () => evaluate("sale")));
  await server.stop();
  expect(collector.spans()).toHaveLength(20);
});

test("a collector that is not there costs a warning, and the server ends in time", async () => {
  const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const url = gone.url.href.replace(/\/$/, "");
  await gone.stop(true);
  const { evaluate, server } = await begin({ url }, []);
  expect((await evaluate("sale")).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(server.stderr()).toContain("telemetry: spans dropped: 1, since the collector cannot be reached");
});

test("a collector that refuses what it gets is not asked again with the same", async () => {
  using collector = openCollector(400);
  const { evaluate, server } = await begin(collector, []);
  await evaluate("sale");
  await eventually("the refusal", () => server.stderr().includes("the collector answered 400"));
  await server.stop();
  expect(collector.bodies).toHaveLength(1);
});

test.each([
  [["--otlp-evaluations", "1.5"], {}, "is a number from 0 to 1"],
  [["--otlp-evaluations", "-1"], {}, "is a number from 0 to 1"],
  [["--otlp-endpoint", "localhost"], {}, "is not a web address"],
  [["--otlp-endpoint", "http://ann:secret@127.0.0.1:1"], {}, "OTEL_EXPORTER_OTLP_HEADERS"],
  [["--otlp-endpoint", "http://127.0.0.1:1"], { OTEL_TRACES_SAMPLER: "often" }, "parentbased_traceidratio"],
  [["--otlp-endpoint", "http://127.0.0.1:1"], { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "http/json"],
  [["--otlp-endpoint", "http://127.0.0.1:1"], { OTEL_EXPORTER_OTLP_HEADERS: "secret" }, "name=value"],
])("serve %p with %p is refused", async (args, env, words) => {
  const { code, stderr } = await formflag(["serve", "--data", tempDirectory(), ...args], { env });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
  expect(stderr).not.toMatch(/secret(?!s)/);
});
