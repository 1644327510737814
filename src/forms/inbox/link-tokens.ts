import { AppError } from "../../base/errors.ts";
import { once } from "../../base/once.ts";
import type { FormsApp } from "../store.ts";

/** Bytes of the parts of a token behind its payload: expiry in seconds since 1970, signature. */
const [EXPIRY, SIGNATURE] = [6, 16];

/** Bytes of the id of a submission. */
export const ID = 16;

/** The paths of links for senders who confirm, without the token. */
export const OPT_IN_PATHS = { confirm: "/v1/c", unsubscribe: "/v1/u" } as const;

export type LinkTokens = {
  /** Valid until a time in milliseconds since 1970. Default: for the lifetime of its kind. */
  create: (payload: Uint8Array, until?: number) => Promise<string>;
  /** The payload of a token. Throws `not_found` for another text, and `gone` once the token has expired. */
  read: (token: string) => Promise<Buffer>;
};

type Kind = {
  /** The name of the secret in the database, which the first use by any process creates. Tokens of one kind are invalid as another. */
  secret: string;
  /** Bytes of the payload. */
  size: number;
  /** How long a token is valid, in milliseconds. */
  lifetime: number;
  /** The message for a text that is no token. */
  missing: string;
};

/** Tokens of links that need no login: a payload with an expiry, signed. */
export function createLinkTokens(app: FormsApp, { secret: name, size, lifetime, missing }: Kind): LinkTokens {
  const secret = once(() => {
    const candidate = Buffer.from(app.random(32)).toString("base64url");
    return app.store.secrets.keep(name, candidate);
  });
  const sign = async (signed: Uint8Array) =>
    new Bun.CryptoHasher("sha256", await secret()).update(signed).digest().subarray(0, SIGNATURE);

  return {
    async create(payload, until = app.now() + lifetime) {
      const signed = Buffer.alloc(size + EXPIRY);
      signed.set(payload);
      signed.writeUIntBE(Math.floor(until / 1000), size, EXPIRY);
      return Buffer.concat([signed, await sign(signed)]).toString("base64url");
    },
    async read(token) {
      const bytes = Buffer.from(token, "base64url");
      const end = size + EXPIRY;
      // Other texts may decode to the same bytes.
      const isToken = bytes.length === end + SIGNATURE && bytes.toString("base64url") === token;
      const signed = bytes.subarray(0, end);
      if (!isToken || !crypto.timingSafeEqual(bytes.subarray(end), await sign(signed)))
        throw new AppError("not_found", missing);
      if (app.now() >= signed.readUIntBE(size, EXPIRY) * 1000)
        throw new AppError("gone", "this link has expired");
      return signed.subarray(0, size);
    },
  };
}

/** The id of a submission as the bytes of a payload. */
export function idBytes(submission: string): Buffer {
  return Buffer.from(submission.replaceAll("-", ""), "hex");
}

/** The inverse of {@link idBytes}, of the first bytes of a payload. */
export function idIn(payload: Buffer): string {
  const hex = payload.toString("hex", 0, ID);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
