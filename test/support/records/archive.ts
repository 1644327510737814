import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "bun:test";
import { type ParsedTarEntryWithData, createTarPacker, unpackTar } from "modern-tar";
import { onData } from "../commands.ts";
import { startServer } from "../executable.ts";
import { tempDirectory } from "../temp.ts";

export type Exported = {
  id: string;
  data: Record<string, unknown>;
  files: { name: string; sha256: string }[];
};

export const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A server with a form that takes files, and what a sender and an operator do. */
export async function openForm() {
  const server = await startServer();
  const commands = onData(server.data);
  const { key } = await commands.json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
  const submit = async (text: string, ...files: string[]): Promise<string> => {
    const body = new FormData();
    body.append("text", text);
    for (const [index, content] of files.entries()) body.append("file", new File([content], `${index}.txt`));
    const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { id: string }).id;
  };
  const archive = join(tempDirectory(), "backup.tar");
  const { run } = commands;
  const json = <T>(...args: string[]) => commands.json<T>(...args);
  return { server, run, json, submit, archive };
}

export async function submissionsIn(data: string): Promise<Exported[]> {
  const { stdout } = await onData(data).run("submissions", "export", "contact");
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Exported);
}

/** A sound archive of three files, and its entries. */
export async function makeArchive() {
  const { server, submit, run, archive } = await openForm();
  await submit("one", "abc", "def");
  await submit("two", "ghi");
  expect((await run("backup", "create", "-o", archive)).code).toBe(0);
  await server.stop();
  return { archive, entries: await unpackTar(readFileSync(archive)) };
}

/** The same archive with other entries. */
export async function rewrite(entries: ParsedTarEntryWithData[]): Promise<string> {
  const { readable, controller } = createTarPacker();
  const packed = new Response(readable).bytes();
  for (const { header, data } of entries) {
    const writer = controller.add({ ...header, size: data?.byteLength ?? 0 }).getWriter();
    if (data) await writer.write(data);
    await writer.close();
  }
  controller.finalize();
  const file = join(tempDirectory(), "changed.tar");
  writeFileSync(file, await packed);
  return file;
}
