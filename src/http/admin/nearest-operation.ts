import { OPERATIONS } from "../../operations/all.ts";
import { ADMIN_PATH } from "../../operations/operation.ts";

/** Steps of a path that are compared, so that a long one costs no more. */
const MAX_STEPS = 12;

/** The costs of leaving out a step that was sent, and of adding one that was not. */
const EXTRA = 1;
const missing = (step: string) => (step.startsWith(":") ? 0.2 : 0.6);

/**
 * The operations at the address that is nearest to a method and a path behind `ADMIN_PATH`, such as
 * `GET, PUT /api/admin/v1/projects/<project>/environments/<environment>/flags/<flag>`; null if none is near.
 */
export function nearestOperation(asked: string, path: string): string | null {
  const sent = path
    .split("/")
    .filter((step) => step !== "")
    .slice(0, MAX_STEPS);
  let nearest: { path: string; cost: number } | null = null;
  for (const { path, method } of OPERATIONS) {
    const cost = costOf(sent, path.slice(1).split("/")) + (method === asked ? 0 : OTHER_METHOD);
    if (nearest === null || cost < nearest.cost) nearest = { path, cost };
  }
  if (nearest === null || nearest.cost > MAX_COST) return null;
  const methods = OPERATIONS.filter((each) => each.path === nearest.path).map(({ method }) => method);
  return `${methods.join(", ")} ${ADMIN_PATH}${nearest.path.replaceAll(/:(\w+)/g, "<$1>")}`;
}

const MAX_COST = 3;
/** The cost of another method than the one that was asked for. */
const OTHER_METHOD = 1;

/** The least cost of changes that make one path of the other. */
function costOf(sent: readonly string[], wanted: readonly string[]): number {
  let row = [0];
  for (const each of wanted) row.push(row.at(-1)! + missing(each));
  for (const step of sent) {
    const next = [row[0]! + EXTRA];
    for (const [at, each] of wanted.entries())
      next.push(Math.min(row[at]! + costOfStep(step, each), row[at + 1]! + EXTRA, next[at]! + missing(each)));
    row = next;
  }
  return row.at(-1)!;
}

function costOfStep(sent: string, wanted: string): number {
  if (sent === wanted) return 0;
  // A name where a noun was meant is less likely than one where a name is expected.
  if (wanted.startsWith(":")) return NOUNS.has(sent) ? 1.5 : 0.1;
  return `${sent}s` === wanted || sent === `${wanted}s` ? 0.2 : 2;
}

const NOUNS: ReadonlySet<string> = new Set(
  OPERATIONS.flatMap(({ path }) => path.split("/").filter((step) => step !== "" && !step.startsWith(":"))),
);
