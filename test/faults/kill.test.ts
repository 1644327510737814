import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { onData, startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

/** `npm run torture` asks for more. */
const ROUNDS = Number(process.env["FORMFLAG_TORTURE_ROUNDS"] ?? 4);
const SENDERS = 8;
const FLAG = "/api/v1/flags/torn";

type Submission = { id: string; data: { text: string }; files: { name: string; sha256: string }[] };
/** What was sent in one submission; files by name. */
type Sent = { text: string; files: Map<string, string> };

/** A data directory with a form that takes files and a project, and what was ever sent to it. */
async function openInbox() {
  const data = tempDirectory();
  const commands = onData(data);
  const json = <T>(...args: string[]) => commands.json<T>(...args);
  const { key } = await json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
  const project = await json<{ key: string; environments: { key: string }[] }>("projects", "create", "shop");
  const { token } = await json<{ token: string }>("tokens", "create", "torture");
  const keys = { "x-project-key": project.key, "x-environment-key": project.environments[0]!.key };
  return { data, json, key, keys, token };
}

function randomSubmission(number: number): { body: FormData; sent: Sent } {
  const body = new FormData();
  const text = `submission ${number} ${crypto.randomUUID()}`;
  body.append("text", text);
  const files = new Map<string, string>();
  for (let count = number % 4; count > 0; count -= 1) {
    const size = 1 + Math.floor(Math.random() * 60_000);
    const bytes = crypto.getRandomValues(new Uint8Array(size));
    files.set(`${count}.bin`, new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
    body.append("file", new File([bytes], `${count}.bin`));
  }
  return { body, sent: { text, files } };
}

test(
  "what was acknowledged survives a server that is killed at any moment, and nothing half-stored is seen",
  async () => {
    const { data, json, key, keys, token } = await openInbox();
    /** By what it says: acknowledged with its id, or sent with no answer. */
    const acknowledged = new Map<string, Sent>();
    const sentTexts = new Map<string, Sent>();
    let number = 0;
    let payload = 0;

    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await startServer([], { data });
      const submit = async () => {
        for (;;) {
          const { body, sent } = randomSubmission((number += 1));
          sentTexts.set(sent.text, sent);
          const address = `${server.url}/v1/s/${key}?mode=rest`;
          const answer = await fetch(address, { method: "POST", body }).catch(() => undefined);
          const stored = answer?.ok
            ? ((await answer.json().catch(() => undefined)) as { id: string })
            : undefined;
          if (!stored) return;
          acknowledged.set(stored.id, sent);
        }
      };
      let acknowledgedPayload = payload;
      const change = async () => {
        for (;;) {
          payload += 1;
          const answer = await fetch(
            `${server.url}/api/admin/v1/projects/shop/environments/develop/flags/torn`,
            {
              method: "PATCH",
              headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
              body: JSON.stringify({ enabled: true, payload }),
            },
          ).catch(() => undefined);
          if (!answer?.ok) return;
          acknowledgedPayload = payload;
        }
      };
      const load = [...Array.from({ length: SENDERS }, submit), change()];
      // Not a wait for something: the moment of the kill is meant to be any.
      await Bun.sleep(30 + Math.random() * 300);
      await server.stop("SIGKILL");
      await Promise.all(load);

      const again = await startServer([], { data });
      const flag = await fetch(`${again.url}${FLAG}`, { headers: keys });
      const seen = flag.ok ? ((await flag.json()) as { payload: number }).payload : 0;
      expect([acknowledgedPayload, payload]).toContain(seen);
      payload = seen;
      await again.stop();

      const all = await json<Submission[]>("submissions", "list", "contact", "--limit", "1000000");
      const byId = new Map(all.map((submission) => [submission.id, submission]));
      for (const [id, sent] of acknowledged) expect(byId.get(id)?.data.text).toBe(sent.text);
      let files = 0;
      for (const submission of all) {
        const sent = sentTexts.get(submission.data.text)!;
        const found = new Map(submission.files.map(({ name, sha256 }) => [name, sha256]));
        expect(found).toEqual(sent.files);
        files += found.size;
      }
      // Every file with the bytes that were stored, and none that no submission refers to.
      expect(await json("check")).toMatchObject({ files, problems: [] });
      expect(filesIn(join(data, "uploads"))).toBe(files);
    }
    expect(acknowledged.size).toBeGreaterThan(0);
    using db = new Database(join(data, "formflag.db"));
    expect(db.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
  },
  30_000 + ROUNDS * 10_000,
);

function filesIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}
