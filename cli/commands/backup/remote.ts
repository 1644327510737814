import { tmpdir } from "node:os";
import { formatBytes } from "../../../src/base/bytes.ts";
import { AppError } from "../../../src/base/errors.ts";
import { createSum } from "../../../src/base/sum.ts";
import { readBackup } from "../../../src/maintenance/backup.ts";
import type { BackupManifest } from "../../../src/maintenance/manifest.ts";
import { server } from "../../../src/operations/server.ts";
import { openPartial } from "../../data/partial.ts";
import { openScratch } from "../../data/scratch.ts";
import { createPrinter } from "../../output/printer.ts";
import { saveTo, writeOut } from "../../output/save.ts";
import type { Io } from "../../output/terminal.ts";
import { clientOn } from "../../session/client.ts";
import type { Config } from "../../session/config.ts";
import { type Remote, remoteTransport } from "../../session/remote.ts";
import { compressedFor, contents, readArchive } from "./archive.ts";

/** Saves a backup that a server makes, and verifies it before it gets its name. */
export async function saveRemote(io: Io, config: Config, output: string, remote: Remote): Promise<void> {
  const printer = createPrinter(io, config);
  const { body } = await clientOn(remoteTransport(remote)).open(server.backup);
  if (output === "-") return pipe(io, { body });
  const sum = createSum();
  const line = printer.progress();
  let manifest: BackupManifest | undefined;
  const add = (chunk: Uint8Array) => {
    sum.add(chunk);
    line.draw(`${formatBytes(sum.size())} of the backup`);
  };
  await saveTo(output, { body: body && compressedFor(output, body) }, add, async (written) => {
    line.clear();
    using partial = openPartial(tmpdir());
    using scratch = openScratch(partial.path("unpacked"));
    manifest = await readArchive(printer, written, (entries, progress) =>
      readBackup(entries, scratch, progress),
    );
  });
  const { submissions, files } = manifest!;
  const { size: bytes, sha256 } = sum.result();
  await printer.report(
    { file: output, bytes, submissions, files, sha256 },
    `saved ${contents(manifest!)} in ${output} (${formatBytes(bytes)}), and verified it\n`,
  );
}

/** Throws `unsupported` if the reader of standard output goes away early. */
export async function pipe(io: Io, archive: Pick<Response, "body">): Promise<void> {
  if (await writeOut(io, archive)) return;
  throw new AppError("unsupported", "the reader of standard output went away before the archive was whole", {
    hint: "what it was given is not a backup",
  });
}
