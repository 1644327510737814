import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { createToken } from "../../src/access/tokens.ts";
import { createForm } from "../../src/forms/forms.ts";
import { createByteBuffer } from "../../src/http/byte-buffer.ts";
import { createSite } from "../../src/http/site.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";

const app = openTestApp();
const site = createSite(openServices(app), siteOptions(app));
const form = await createForm(app, OPERATOR, { slug: "contact", uploads: true });
const { key, environments } = await createProject(app, OPERATOR, { slug: "shop", environments: ["develop"] });
const { token } = await createToken(app, OPERATOR, { name: "admin" });

const SUBMIT = `/v1/s/${form.key}?mode=rest`;
const JSON_TYPE = { "content-type": "application/json" };
const MULTIPART = { "content-type": "multipart/form-data; boundary=b" };
const KEYS = { "x-project-key": key, "x-environment-key": environments[0]!.key };

const liveArrays = () => {
  Bun.gc(true);
  return heapStats().objectTypeCounts["Uint8Array"] ?? 0;
};

test.each<[what: string, path: string, headers: Record<string, string>, start: string]>([
  ["JSON", SUBMIT, JSON_TYPE, '{"a":"'],
  ["urlencoded", SUBMIT, { "content-type": "application/x-www-form-urlencoded" }, "a="],
  ["a multipart field", SUBMIT, MULTIPART, '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n'],
  ["the headers of a part", SUBMIT, MULTIPART, "--b\r\nX: "],
  ["an evaluation", "/ofrep/v1/evaluate/flags", { ...JSON_TYPE, ...KEYS }, '{"context":{"a":"'],
  ["a document", "/api/admin/v1/apply", { ...JSON_TYPE, authorization: `Bearer ${token}` }, '{"document":"'],
])("a body that comes byte by byte is kept as bytes, not as pieces: %s", async (_, path, headers, start) => {
  const bytes = Buffer.from(start + "x".repeat(15_000));
  let sent = 0;
  const { promise: isRead, resolve: end } = Promise.withResolvers<void>();
  const { promise: isOver, resolve: close } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent < bytes.length) return controller.enqueue(Uint8Array.of(bytes[sent++]!));
        end();
        await isOver;
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const before = liveArrays();
  const answer = site.fetch(
    new Request(`http://site.test${path}`, { method: "POST", headers, body }),
    () => "192.0.2.1",
  );
  await isRead;
  expect(liveArrays() - before).toBeLessThan(1000);
  close();
  await (await answer).arrayBuffer();
});

test("a buffer holds what was appended and not dropped, in pieces of any size", () => {
  const buffer = createByteBuffer();
  let expected = Buffer.alloc(0);
  for (let round = 0; round < 300; round += 1) {
    const piece = crypto.getRandomValues(new Uint8Array((round * 7919) % (round % 10 === 0 ? 9000 : 50)));
    buffer.append(piece);
    expected = Buffer.concat([expected, piece]);
    expect(buffer.bytes().equals(expected)).toBe(true);
    const dropped = (round * 104_729) % (expected.length + 1);
    buffer.drop(dropped);
    expected = Buffer.from(expected.subarray(dropped));
    expect([buffer.size(), buffer.bytes().equals(expected)]).toEqual([expected.length, true]);
  }
});
