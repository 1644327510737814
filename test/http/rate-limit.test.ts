import { describe, expect, test } from "bun:test";
import { createForm } from "../../src/forms/forms.ts";
import { findClient, isLoopback } from "../../src/http/address.ts";
import { createFlagsService } from "../../src/http/flags/flags.ts";
import { createFormsService } from "../../src/http/forms/forms.ts";
import { createLinks } from "../../src/http/forms/links.ts";
import { createGuard } from "../../src/http/rate-limit.ts";
import { clientAt, openServices, openTestApp } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";

const CLIENT = clientAt("198.51.100.7");

function openGuard(limits: Partial<Parameters<typeof createGuard>[1]> = {}) {
  const clock = { now: 0 };
  const guard = createGuard(() => clock.now, { concurrent: 2, rate: null, ...limits });
  return { clock, guard };
}

describe("a client", () => {
  test("may have so many requests under way, and one more when one has ended", () => {
    const { guard } = openGuard();
    const leave = guard(() => CLIENT);
    guard(() => CLIENT);
    expect(() => guard(() => CLIENT)).toThrow("more than 2 requests at a time come from your address");
    leave();
    guard(() => CLIENT);
    expect(() => guard(() => CLIENT)).toThrow("more than 2");
  });

  test("that is refused is told to come back, and counts for nothing", () => {
    const { guard } = openGuard({ concurrent: 1 });
    const leave = guard(() => CLIENT);
    for (let count = 0; count < 3; count += 1) {
      try {
        guard(() => CLIENT);
        expect.unreachable();
      } catch (error) {
        expect(error).toMatchObject({ code: "rate_limited", retryAfter: 1 });
      }
    }
    leave();
    guard(() => CLIENT)();
    guard(() => CLIENT);
  });

  test("counts with every request under way, also one whose address was not needed before", () => {
    const { guard } = openGuard({ concurrent: 3 });
    const leave = guard(() => CLIENT);
    guard(() => clientAt("198.51.100.8"));
    guard(() => CLIENT);
    guard(() => CLIENT);
    expect(() => guard(() => CLIENT)).toThrow("more than 3");
    leave();
    guard(() => CLIENT);
    expect(() => guard(() => CLIENT)).toThrow("more than 3");
  });

  test("is asked for its address only when the requests under way reach the limit of one", () => {
    const { guard } = openGuard({ concurrent: 2 });
    const asked: number[] = [];
    const begin = (index: number) =>
      guard(() => {
        asked.push(index);
        return clientAt(`198.51.100.${index}`);
      });
    const leave = begin(1);
    begin(2);
    leave();
    expect(asked).toEqual([]);
    begin(3);
    expect(asked).toEqual([]);
    begin(4);
    expect(asked).toEqual([2, 3, 4]);
  });

  test("is not stopped by what others do", () => {
    const { guard } = openGuard({ concurrent: 1 });
    guard(() => CLIENT);
    guard(() => clientAt("198.51.100.8"));
    guard(() => clientAt("2001:db8::1"));
  });

  test("with an IPv6 address is its /64 network", () => {
    const { guard } = openGuard({ concurrent: 1 });
    guard(() => clientAt("2001:db8::1"));
    expect(() => guard(() => clientAt("2001:db8::2"))).toThrow("more than 1");
    guard(() => clientAt("2001:db8:0:1::1"));
  });

  test.each(["127.0.0.1", "127.1.2.3", "::1"])("on this machine may do all: %j", (address) => {
    const { guard } = openGuard({ concurrent: 1, rate: { count: 1, seconds: 60 } });
    for (let count = 0; count < 10; count += 1) guard(() => clientAt(address));
  });

  test.each(["127.0.0.1", "::1", "", ","])("that a trusted proxy forwards is limited: %j", (forwarded) => {
    const { guard } = openGuard({ concurrent: 1 });
    const client = findClient("127.0.0.1", forwarded, isLoopback);
    guard(() => client);
    expect(() => guard(() => client)).toThrow("more than 1");
  });

  test("may begin so many requests in a time where that is limited", () => {
    const { clock, guard } = openGuard({ concurrent: Infinity, rate: { count: 3, seconds: 60 } });
    for (let count = 0; count < 3; count += 1) guard(() => CLIENT)();
    expect(() => guard(() => CLIENT)).toThrow("too many requests: try again in 60 seconds");
    clock.now += 60_000;
    guard(() => CLIENT);
  });
});

describe("a service", () => {
  const app = openTestApp();
  const { report, outgoing } = openServices(app);

  test("refuses a submission too many at a time with 429, and takes it when another has ended", async () => {
    const { guard } = openGuard({ concurrent: 1 });
    const { submit } = createFormsService(
      app,
      createLinks(null, "", "secret"),
      report,
      guard,
      async () => outgoing,
    );
    const { key } = await createForm(app, OPERATOR, { slug: "guarded" });
    const post = (body: string | ReadableStream) => {
      const headers = { "content-type": "application/json" };
      const request = new Request(`http://site.test/v1/s/${key}?mode=rest`, {
        method: "POST",
        headers,
        body,
      });
      return submit(request, key, () => CLIENT);
    };
    let rest: ReadableStreamDefaultController;
    const slow = post(new ReadableStream({ start: (controller) => void (rest = controller) }));
    const refused = await post('{"a":1}');
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await refused.json()).toMatchObject({ error: true, code: 429 });
    rest!.enqueue(Buffer.from('{"a":2}'));
    rest!.close();
    expect((await slow).status).toBe(200);
    expect((await post('{"a":3}')).status).toBe(200);
  });

  test("refuses flag reads too many in a time with 429, and readers fail safe", async () => {
    const { guard } = openGuard({ rate: { count: 1, seconds: 60 } });
    const { readFlag } = createFlagsService(app, report, guard);
    const read = () => {
      const headers = { "x-project-key": "a", "x-environment-key": "b" };
      return readFlag(new Request("http://site.test/api/v1/flags/a", { headers }), "a", () => CLIENT);
    };
    expect((await read()).status).toBe(401);
    const refused = await read();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await refused.json()).toMatchObject({ enabled: false, error: true });
  });
});
