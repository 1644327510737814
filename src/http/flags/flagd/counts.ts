import { KiB, formatBytes } from "../../../base/bytes.ts";
import { AppError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import type { ReadCounts } from "../../../flags/reads/reported.ts";
import { readJson, refuseAbandoned } from "../../body.ts";
import { idempotencyKeyOf } from "../../idempotency-key.ts";

/** Bytes, and flags, of a request, which is one transaction. */
const MAX_BODY = 256 * KiB;
const MAX_FLAGS = 1000;
/** How often a value was read at most: the sum of all is still a number. */
const MOST_READS = 1e9;

/** Reads what a provider has counted: `{"reads":{"<flag>":{"<variant>":<count>}}}`. Throws `invalid`, `too_large`. */
export async function readCounts(request: Request): Promise<ReadCounts> {
  const id = idempotencyKeyOf(request);
  if (id === null) throw new AppError("invalid", "the header Idempotency-Key is missing");
  const tooLarge = () => new AppError("too_large", `a request has at most ${formatBytes(MAX_BODY)}`);
  const broken = (message: string) => new AppError("invalid", message);
  const reads = await readJson(request, MAX_BODY, { tooLarge, broken }, (body) => {
    const given = isObject(body) && isObject(body["reads"]) ? body["reads"] : null;
    if (given && Object.keys(given).length > MAX_FLAGS)
      throw new AppError("too_large", `a request counts reads of at most ${MAX_FLAGS} flags`);
    if (given && areCounts(given)) return given;
    throw broken('the body is {"reads":{"<flag>":{"<variant>":<count>}}}');
  });
  await refuseAbandoned(request);
  return { id, reads };
}

function areCounts(reads: Record<string, unknown>): reads is ReadCounts["reads"] {
  const isCount = (count: unknown) =>
    Number.isInteger(count) && Number(count) > 0 && Number(count) <= MOST_READS;
  return Object.values(reads).every((counts) => isObject(counts) && Object.values(counts).every(isCount));
}
