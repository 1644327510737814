import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../src/base/errors.ts";
import { READY_PATH } from "../../../src/http/paths.ts";
import { checkDisks } from "../../../src/maintenance/doctor/disk.ts";
import { jsonOf } from "../../../src/maintenance/doctor/surroundings.ts";
import { type Finding, ok, problem, warning } from "../../../src/maintenance/finding.ts";
import { NAMES } from "../../../src/storage.ts";
import { readServing } from "../../data/serving.ts";
import { probe } from "../../session/addresses.ts";
import type { FollowSettings } from "./relay-options.ts";
import { exposedToken, sourceOf } from "./relay-source.ts";

/** The status of a server that follows another one; nothing of it is known while none runs. */
export type RelayStatus = {
  version: string | null;
  startedAt: string | null;
  address: string | null;
  following: string | null;
  /** Seconds since the source was heard, if it is away. */
  behind: number | null;
};

/** The status of the server of a data directory; null unless that server follows another one. */
export async function readRelayStatus(data: string): Promise<RelayStatus | null> {
  if (!existsSync(join(data, NAMES.spool)) || existsSync(join(data, NAMES.database))) return null;
  const serving = readServing(data);
  if (serving === null)
    return { version: null, startedAt: null, address: null, following: null, behind: null };
  const { version, startedAt, origin: address } = serving;
  const { following, behind } = jsonOf(await probe(address + READY_PATH, { isOurs: true }));
  return { version, startedAt, address, following: String(following), behind: Number(behind) };
}

/** The findings about a server that follows another one, or will. */
export async function checkRelay(data: string, follow: FollowSettings): Promise<Finding[]> {
  const findings = existsSync(data) ? await checkDisks(data) : [];
  try {
    await sourceOf(follow).check();
    findings.push(ok("source", `follows ${follow.url}, which takes the token`));
  } catch (error) {
    const { message, hint } = error instanceof AppError ? error : { message: String(error), hint: null };
    const advice = hint ?? "check the address, and the token: formflag docs relay";
    findings.push(problem("source", `${follow.url} cannot be followed: ${message}`, advice));
  }
  const exposed = await exposedToken(follow).catch(() => null);
  if (exposed) findings.push(warning("token", `other users may read ${exposed.file}`, exposed.fix));
  const status = await readRelayStatus(data);
  if (status?.behind)
    findings.push(
      warning(
        "behind",
        `the source was heard ${status.behind} s ago`,
        "flags are answered as they were then",
      ),
    );
  return findings;
}
