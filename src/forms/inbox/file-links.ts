import { DAY_MS } from "../../base/days.ts";
import { AppError } from "../../base/errors.ts";
import { once } from "../../base/once.ts";
import type { FormsApp } from "../store.ts";
import type { FileInfo } from "../submission.ts";
import { openFile } from "../submissions.ts";

/** The path of links to files, without the token. */
export const FILE_LINK_PATH = "/v1/files";

/** How long a link is valid, in milliseconds: 14 days. */
const LIFETIME = 14 * DAY_MS;

/** Bytes of each part of a token: id, number of the file, expiry in seconds since 1970, signature. */
const [ID, POSITION, EXPIRY, SIGNATURE] = [16, 2, 6, 16];
const SIGNED = ID + POSITION + EXPIRY;

export type FileLinks = {
  /** A link to a file of a submission, by its number from 1, that is valid for 14 days. */
  url: (submission: string, position: number) => Promise<string>;
  /**
   * The file that a token from a link names. Throws `not_found` for another token and for a file that was deleted, and `gone`
   * once the link has expired.
   */
  open: (token: string) => Promise<{ file: FileInfo; bytes: ReadableStream<Uint8Array<ArrayBuffer>> }>;
};

/**
 * Links to files for people without a token of the admin API. They begin with `base`, the public URL or a base path. The
 * secret that signs them is in the database, where the first use by any process creates it.
 */
export function createFileLinks(app: FormsApp, base: string): FileLinks {
  const secret = once(() => {
    const candidate = Buffer.from(app.random(32)).toString("base64url");
    return app.store.secrets.keep("file-links", candidate);
  });
  const sign = async (signed: Uint8Array) =>
    new Bun.CryptoHasher("sha256", await secret()).update(signed).digest().subarray(0, SIGNATURE);

  return {
    async url(submission, position) {
      const signed = Buffer.alloc(SIGNED);
      signed.write(submission.replaceAll("-", ""), "hex");
      signed.writeUInt16BE(position, ID);
      signed.writeUIntBE(Math.floor((app.now() + LIFETIME) / 1000), ID + POSITION, EXPIRY);
      const token = Buffer.concat([signed, await sign(signed)]).toString("base64url");
      return `${base}${FILE_LINK_PATH}/${token}`;
    },
    async open(token) {
      const bytes = Buffer.from(token, "base64url");
      // Other texts may decode to the same bytes.
      const isToken = bytes.length === SIGNED + SIGNATURE && bytes.toString("base64url") === token;
      const signed = bytes.subarray(0, SIGNED);
      if (!isToken || !crypto.timingSafeEqual(bytes.subarray(SIGNED), await sign(signed)))
        throw new AppError("not_found", "there is no file at this address");
      if (app.now() >= signed.readUIntBE(ID + POSITION, EXPIRY) * 1000)
        throw new AppError("gone", "this link has expired");
      return openFile(app, idIn(signed), String(signed.readUInt16BE(ID)));
    },
  };
}

function idIn(signed: Buffer): string {
  const hex = signed.toString("hex", 0, ID);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
