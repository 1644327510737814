import { describe, expect, test } from "bun:test";
import { createProject } from "../../../src/projects/projects.ts";
import { createToken } from "../../../src/access/tokens.ts";
import type { Report } from "../../../src/http/errors.ts";
import { type MetricsOptions, createMetricsApp } from "../../../src/http/operation/exposition.ts";
import { createMetrics } from "../../../src/http/operation/metrics.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openSites, PEER } from "../../support/site.ts";

const { app, services, openSite } = openSites();
const { flags } = services;

describe("the metrics", () => {
  const counted = createMetrics();
  const report: Report = { ...services.report, refused: (reason) => counted.refused("operation", reason) };
  const build = { version: "1.2.3", commit: "abc" };
  const place = (openTo: MetricsOptions["openTo"]) =>
    openSite(
      {
        flags,
        metrics: async () =>
          createMetricsApp(app, { metrics: counted, report, build, openTo, streams: () => 7 }),
      },
      ["10.0.0.1"],
      { counted, logsReads: false },
    );
  type From = { peer?: string; openTo?: MetricsOptions["openTo"]; host?: string };
  const read = async (init?: RequestInit, from: From = {}) => {
    const { peer = "127.0.0.1", openTo = "local", host = "localhost:8787" } = from;
    const request = new Request(`http://${host}/metrics`, init);
    const answer = await place(openTo).site.fetch(request, () => peer);
    return { status: answer.status, text: await answer.text() };
  };

  test("are open to this machine, but not to what a proxy on it passes on", async () => {
    for (const host of ["localhost:8787", "127.0.0.1", "[::1]:1"])
      expect((await read({}, { host })).status).toBe(200);
    expect((await read({}, { peer: "::1" })).status).toBe(200);
    for (const name of ["x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via"])
      expect((await read({ headers: { [name]: "127.0.0.1" } })).status).toBe(401);
    expect((await read({}, { peer: PEER })).status).toBe(401);
    const forwarded = { headers: { "x-forwarded-for": "127.0.0.1" } };
    expect((await read(forwarded, { peer: "10.0.0.1" })).status).toBe(401);
  });

  test("are not open to a page in a browser on this machine, whose site has a name for it", async () => {
    for (const host of ["attacker.example", "127.0.0.1.attacker.example", "192.0.2.1"])
      expect((await read({}, { host })).status).toBe(401);
  });

  test("are open to nobody where a proxy is to be expected", async () => {
    expect((await read({}, { openTo: "none" })).status).toBe(401);
  });

  test("are read from elsewhere with a token of the scope read", async () => {
    for (const [scope, status] of [
      ["read", 200],
      ["admin", 200],
      ["flags:read", 403],
      ["forms:write", 403],
    ] as const) {
      const { token } = await createToken(app, OPERATOR, {
        name: `metrics-${scope.replace(":", "-")}`,
        scopes: [scope],
      });
      const headers = { authorization: `Bearer ${token}` };
      expect((await read({ headers }, { peer: PEER })).status).toBe(status);
    }
    const headers = { authorization: "Bearer nonsense" };
    expect((await read({ headers }, { peer: PEER })).status).toBe(401);
  });

  test("are open at an address of their own", async () => {
    expect((await read({}, { peer: PEER, openTo: "all", host: "metrics.example" })).status).toBe(200);
  });

  test("count requests by route and status, refusals by reason, and proxies that are not trusted", async () => {
    const { ask, askHot } = place("local");
    await createProject(app, OPERATOR, { slug: "written" });
    await read({}, { openTo: "none" });
    await askHot("/api/v1/flags", "", "/api/v1/flags");
    await askHot("/api/v1/flags", "", "/api/v1/flags");
    for (const reason of ["word:a", "word:b", "honeypot"]) counted.spam(reason);
    const before = counted.forwarded();
    await ask("/nothing", { headers: { "x-forwarded-for": "192.0.2.1" } });
    const { text } = await read();
    const labels = 'service="flags",route="/api/v1/flags",status="400"';
    expect(text).toContain(`formflag_http_request_duration_seconds_bucket{${labels},le="+Inf"} 2\n`);
    expect(text).toContain(`formflag_http_request_duration_seconds_count{${labels}} 2\n`);
    expect(text).toMatch(/^formflag_refused_total\{service="operation",reason="unauthenticated"\} [1-9]/m);
    expect(text).toContain('formflag_spam_total{reason="word"} 2\n');
    expect(text).toContain(`formflag_forwarded_ignored_total ${before + 1}\n`);
    expect(text).toContain('formflag_build_info{version="1.2.3",commit="abc"} 1\n');
    expect(text).toMatch(/^formflag_commit_writes_count [1-9]/m);
    expect(text).toMatch(/^formflag_stored_bytes\{kind="database"\} [1-9]/m);
  });

  test("count every flag read that succeeds, although only some are timed", async () => {
    const { askHot, ask } = place("local");
    const { key, environments } = await createProject(app, OPERATOR, { slug: "counted" });
    const headers = { "x-project-key": key, "x-environment-key": environments[0]!.key };
    for (let count = 0; count < 200; count += 1)
      expect((await askHot("/api/v1/flags", "", "/api/v1/flags", { headers })).status).toBe(200);
    await ask("/api/v1/flags", { headers });
    const { text } = await read();
    const labels = 'service="flags",route="/api/v1/flags",status="200"';
    expect(text).toContain(`formflag_http_request_duration_seconds_bucket{${labels},le="+Inf"} 201\n`);
    expect(text).toContain(`formflag_http_request_duration_seconds_count{${labels}} 201\n`);
  });

  test("are text of which every line is a comment or a sample", async () => {
    const { text } = await read();
    for (const line of text.trimEnd().split("\n").filter(Boolean))
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"\n]*",?)+\})? [0-9.e+-]+)$/);
  });
});
