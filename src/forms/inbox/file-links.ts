import { DAY_MS } from "../../base/days.ts";
import { creationOf } from "../../base/ids.ts";
import { blobKey } from "../../blobs/key.ts";
import type { FormsApp } from "../store.ts";
import type { FileInfo } from "../submission.ts";
import { openFile, readSubmission } from "../submissions.ts";
import { ID, createLinkTokens, idBytes, idIn } from "./link-tokens.ts";

/** The path of links to files, without the token. */
export const FILE_LINK_PATH = "/v1/files";

/** Bytes of the number of a file. */
const POSITION = 2;

/** The bit of the number of a file in a link that was made before its submission was stored. */
const EARLY = 0x8000;

/** How long the link works without the submission, in milliseconds: while checks are asked, whatever the clocks of servers. */
const EARLY_MS = 10_000;

export type FileLinks = {
  /** A link to a file of a submission, by its number from 1, that is valid for 14 days. */
  url: (submission: string, position: number) => Promise<string>;
  /** As `url`, which also works while the submission is checked and only its files are kept. */
  earlyUrl: (submission: string, position: number) => Promise<string>;
  /**
   * The file that a token from a link names. Throws `not_found` for another token and for a file that was deleted, and `gone`
   * once the link has expired.
   */
  open: (token: string) => Promise<{
    file: Pick<FileInfo, "name"> & { size?: number };
    bytes: ReadableStream<Uint8Array<ArrayBuffer>>;
  }>;
};

/**
 * Links to files for people without a token of the admin API. They begin with `base`, the public URL or a base path. The
 * secret that signs them is in the database, where the first use by any process creates it.
 */
export function createFileLinks(app: FormsApp, base: string): FileLinks {
  const tokens = createLinkTokens(app, {
    secret: "file-links",
    size: ID + POSITION,
    lifetime: 14 * DAY_MS,
    missing: "there is no file at this address",
  });
  const urlOf = async (submission: string, number: number) => {
    const payload = Buffer.alloc(ID + POSITION);
    payload.set(idBytes(submission));
    payload.writeUInt16BE(number, ID);
    return `${base}${FILE_LINK_PATH}/${await tokens.create(payload)}`;
  };
  return {
    url: urlOf,
    earlyUrl: (submission, position) => urlOf(submission, position | EARLY),
    async open(token) {
      const payload = await tokens.read(token);
      const [id, number] = [idIn(payload), payload.readUInt16BE(ID)];
      const position = number & ~EARLY;
      const isEarly = number !== position && app.now() - creationOf(id) < EARLY_MS;
      if (isEarly && (await app.store.submissions.find(id)) === undefined)
        return { file: { name: `file-${position}` }, bytes: await app.blobs.open(blobKey(id, position)) };
      return openFile(app, await readSubmission(app, id), String(position));
    },
  };
}
