import { expect, test } from "bun:test";
import { createForm } from "../../src/forms/forms.ts";
import { createSite } from "../../src/http/site.ts";
import { openServices, openTestApp, siteOptions } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";

const app = openTestApp();
const services = openServices(app);
const site = createSite(services, { ...siteOptions(app), report: services.report });
const form = await createForm(app, OPERATOR, { slug: "contact" });

/** Every address that pages of other origins read or send to, with the headers that it reads itself. */
const ADDRESSES: [path: string, method: string, own: string[]][] = [
  ["/api/v1/flags", "GET", ["x-project-key", "x-environment-key", "if-none-match"]],
  ["/api/v1/flags/checkout", "GET", ["x-project-key", "x-environment-key", "if-none-match"]],
  ["/api/v1/flags/preview", "GET", ["x-project-key", "x-environment-key", "if-none-match"]],
  ["/api/v1/flags/preview/feedback", "POST", ["x-project-key", "x-environment-key", "content-type"]],
  ["/api/v1/flags/code-refs", "POST", ["x-api-key", "content-type"]],
  ["/ofrep/v1/evaluate/flags", "POST", ["x-api-key", "authorization", "content-type", "if-none-match"]],
  ["/ofrep/v1/evaluate/flags/checkout", "POST", ["x-api-key", "authorization", "content-type"]],
  ["/ofrep/v1/events", "GET", ["last-event-id"]],
  ["/v1/events", "POST", ["x-api-key", "content-type", "idempotency-key"]],
  [`/v1/s/${form.key}`, "POST", ["content-type", "idempotency-key"]],
  [`/v1/s/${form.key}/challenge`, "GET", []],
];

async function allowedFor(path: string, method: string, asked?: string): Promise<string[]> {
  const headers = new Headers({ Origin: "https://app.example", "Access-Control-Request-Method": method });
  if (asked !== undefined) headers.set("Access-Control-Request-Headers", asked);
  const answer = await site.fetch(
    new Request(`http://site.test${path}`, { method: "OPTIONS", headers }),
    () => "198.51.100.7",
  );
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
    204,
    path.startsWith("/v1/s/") ? "https://app.example" : "*",
  ]);
  expect(answer.headers.get("access-control-allow-methods")).toContain(method);
  return answer.headers.get("access-control-allow-headers")!.split(", ");
}

test.each(ADDRESSES)(
  "a preflight of %s allows what it reads, and what scripts on the page add to requests",
  async (path, method, own) => {
    expect(await allowedFor(path, method)).toEqual(expect.arrayContaining(own));
    const added = ["baggage", "newrelic", "sentry-trace", "traceparent", "tracestate", "x-datadog-trace-id"];
    const allowed = await allowedFor(path, method, [...own, ...added].join(","));
    expect(allowed).toEqual(expect.arrayContaining([...own, ...added]));
    expect(new Set(allowed).size).toBe(allowed.length);
    expect(allowed).not.toContain("*");
  },
);

test("a preflight allows names of headers only, and no more than a few kilobytes of them", async () => {
  const [path, method] = ["/ofrep/v1/evaluate/flags", "POST"] as const;
  const own = await allowedFor(path, method);
  expect(await allowedFor(path, method, "X-A, ,x b,x<c>,é,  x-d\t")).toEqual([...own, "x-a", "x-d"]);
  const many = Array.from({ length: 1000 }, (_, at) => `x-${at}`).join(",");
  expect(await allowedFor(path, method, many)).toEqual(own);
});
