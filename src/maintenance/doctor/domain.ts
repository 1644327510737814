import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { type Finding, ok, problem, warning } from "../finding.ts";
import type { KnownCertificate, Surroundings } from "./surroundings.ts";

/** The path below which an authority looks for the answer to a challenge (RFC 8555, 8.3). */
export const CHALLENGE_PATH = "/.well-known/acme-challenge/";

/** The answer of a server with domains there to everything else. */
export const NO_CHALLENGE = "There is no such challenge.";

type Refusal = { message: string; hint: string };

/**
 * Checks the certificate of the domains of a server and, with `connects`, whether the authority takes orders, and each name leads
 * to the server on port 80.
 */
export async function checkDomain(by: Surroundings, now: number, connects: boolean): Promise<Finding[]> {
  const known = by.certificate();
  if (known === null) return [];
  const reached = connects ? known.names.map((name) => checkName(name, by)) : [];
  const refusal = connects && known.failure === null ? await refusalOf(by) : null;
  return [certificateFinding(known, refusal, now), ...(await Promise.all(reached))];
}

/** Why no certificate can be ordered from the authority; null if one can. */
async function refusalOf({ checkAuthority, hintFor }: Surroundings): Promise<Refusal | null> {
  try {
    await checkAuthority();
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { message: error.message, hint: hintFor(error) ?? "the server tries again by itself" };
  }
}

function certificateFinding(
  { names, kept, failure }: KnownCertificate,
  refusal: Refusal | null,
  now: number,
): Finding {
  const check = "certificate";
  const missing = names.filter((name) => !kept?.names.includes(name));
  const isUsable = kept !== null && missing.length === 0 && kept.until > now;
  if (refusal !== null) {
    const { message, hint } = refusal;
    return isUsable
      ? warning(check, `valid until ${isoTime(kept.until)}, and cannot be renewed: ${message}`, hint)
      : problem(check, `none can be ordered: ${message}`, hint);
  }
  if (failure !== null) {
    const message = `no new one: ${failure.message}`;
    const hint = `${failure.hint ?? "see the log of the server"}; next try: ${isoTime(failure.next)}`;
    return isUsable
      ? warning(check, `${message}; valid until ${isoTime(kept.until)}`, hint)
      : problem(check, message, hint);
  }
  if (isUsable)
    return ok(check, `for ${names.join(", ")}, valid until ${isoTime(kept.until)}; it renews itself`);
  return ok(
    check,
    `none yet for ${missing.join(", ") || "these names"}; the server orders it after its start`,
  );
}

async function checkName(name: string, { probe }: Surroundings): Promise<Finding> {
  const check = "domain";
  const answer = await probe(`http://${name}${CHALLENGE_PATH}doctor`);
  if (answer.status === null)
    return warning(
      check,
      `http://${name} ${answer.failure}`,
      "its A or AAAA record has to lead here, and port 80 has to be open; a home router may hide it from this machine",
    );
  if (answer.status === 404 && answer.text.startsWith(NO_CHALLENGE))
    return ok(check, `http://${name} leads to formflag`);
  return warning(
    check,
    `http://${name} is answered by another server (${answer.status})`,
    "let the A and AAAA records of the name, and port 80 at that address, lead to this machine",
  );
}
