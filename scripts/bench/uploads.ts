import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { compare } from "./compare.ts";
import type { Rounds, Show } from "./figure.ts";
import { createForm, startFormflag, startLimit } from "./formflag.ts";

const FILES = 5;
const FILE_SIZE = 900_000;
const MB = 1_000_000;

/** Five files of 900 kB in a prepared body, against a handler that streams it to one file, hashes and syncs it. */
export async function measureUploads(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const { body, contentType } = multipart();
  const post = { method: "POST", headers: { "content-type": contentType }, body } as const;
  for (const connections of [32, 64]) {
    const data = join(directory, `uploads-${connections}`);
    const bareData = join(directory, `bare-${connections}`);
    mkdirSync(bareData);
    const server = await startFormflag(data);
    const bare = await startLimit("stream", [bareData]);
    const path = await createForm(data, "bench", "--uploads", "on");
    const common = { part: "uploads", connections, directory };
    const name = `5 × 900 kB, ${connections} connections`;
    await compare(
      { server, request: { ...post, path } },
      { server: bare, request: { ...post, path: "/" } },
      { ...common, name: `${name}, to the bare streaming handler`, goal: "≥ 0.60" },
      // A round of the slowest machine has to fit in.
      { ...rounds, seconds: Math.max(rounds.seconds, 4) },
      show,
    );
    const [peak, barePeak] = [server.memory().peak / MB, bare.memory().peak / MB];
    const ratio = peak / barePeak;
    show({
      part: "uploads",
      name: `${name}: peak memory, to the bare streaming handler's`,
      goal: "≤ 1.6",
      value: ratio,
      spread: [ratio, ratio],
      detail: `${peak.toFixed(0)} to ${barePeak.toFixed(0)} MB`,
    });
    await Promise.all([server.stop(), bare.stop()]);
  }
}

/** Five files of 900 kB. */
export function multipart(): { body: Uint8Array; contentType: string } {
  const boundary = "----formflagbench7MA4YWxkTrZu0gW";
  const parts = Array.from({ length: FILES }, (_, index) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="file-${index}.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    crypto.getRandomValues(new Uint8Array(65_536)),
    new Uint8Array(FILE_SIZE - 65_536).fill(index),
    "\r\n",
  ]);
  const pieces = [...parts.flat(), `--${boundary}--\r\n`].map((piece) => Buffer.from(piece as string));
  return { body: Buffer.concat(pieces), contentType: `multipart/form-data; boundary=${boundary}` };
}
