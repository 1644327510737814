import { AppError } from "../../../src/base/errors.ts";
import { FOLLOW_PATH } from "../../../src/http/paths.ts";
import { type SourceConnection, connectSource } from "../../../src/send/source.ts";
import { env } from "../../session/env.ts";
import { readText } from "../../session/sources.ts";
import type { FollowSettings } from "./relay-options.ts";

/** The token for the source, as its file has it now. Throws `invalid`. */
export async function readFollowToken({ tokenFile }: FollowSettings): Promise<string> {
  const text = tokenFile === null ? env["FORMFLAG_TOKEN"]! : await readText(tokenFile, "--token-file");
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new AppError("invalid", `${tokenFile ?? "FORMFLAG_TOKEN"} holds no token`);
}

export function sourceOf(follow: FollowSettings): SourceConnection {
  const { url, caFile } = follow;
  return connectSource({ address: `${url}${FOLLOW_PATH}`, readToken: () => readFollowToken(follow), caFile });
}
