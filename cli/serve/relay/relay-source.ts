import { dirname } from "node:path";
import { fs, isOnReadOnlyDisk } from "../../../src/base/directory.ts";
import { AppError } from "../../../src/base/errors.ts";
import { shellWord } from "../../../src/base/shell.ts";
import { FOLLOW_PATH } from "../../../src/http/paths.ts";
import { type SourceConnection, connectSource } from "../../../src/send/source.ts";
import { isLoopbackUrl } from "../../session/connection.ts";
import { env } from "../../session/env.ts";
import { readText } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import type { FollowSettings } from "./relay-options.ts";

/** The token for the source, as its file has it now. Throws `invalid`, also for a source to which others could read it in transit. */
export async function readFollowToken({ url, tokenFile, insecure }: FollowSettings): Promise<string> {
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw usage(`--follow ${url} is not a web address`, "it looks like https://flags.example.com");
  const { username, password, search, hash } = new URL(url);
  if (username + password + search + hash !== "")
    throw usage(
      "--follow takes an address without a user, a password, ? and #",
      "everyone can read it in /readyz; the token in --token-file is all that the source needs",
    );
  if (url.startsWith("http:") && !isLoopbackUrl(url) && !insecure)
    throw usage(
      `others could read the token for ${url} in transit`,
      "follow an address with https://, or in a network of your own give --insecure",
    );
  const text = tokenFile === undefined ? env["FORMFLAG_TOKEN"] : await readText(tokenFile, "--token-file");
  if (text === undefined)
    throw usage(
      "--follow needs a token",
      "on the source: formflag tokens create relay --scope flags:sync -p <project> -e <environment>; here: --token-file <file>",
    );
  if (/^[\x21-\x7e]+$/.test(text.trim())) return text.trim();
  throw new AppError("invalid", `${tokenFile ?? "FORMFLAG_TOKEN"} holds no token`);
}

/**
 * Which file holds the token where other users of this machine may read it, and the command that changes it; null for none. A
 * file that a container has mounted read-only is its operator's affair.
 */
export async function exposedToken({
  tokenFile,
}: FollowSettings): Promise<{ file: string; fix: string } | null> {
  if (tokenFile === undefined || process.platform === "win32" || isOnReadOnlyDisk(tokenFile)) return null;
  const [file, folder] = await Promise.all([fs().stat(tokenFile), fs().stat(dirname(tokenFile))]);
  const isOpen = (file.mode & 0o004) !== 0 && (folder.mode & 0o001) !== 0;
  return isOpen ? { file: tokenFile, fix: `chmod go= ${shellWord(tokenFile)}` } : null;
}

export function sourceOf(follow: FollowSettings): SourceConnection {
  const { url, caFile } = follow;
  return connectSource({ address: `${url}${FOLLOW_PATH}`, readToken: () => readFollowToken(follow), caFile });
}
