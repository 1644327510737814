import type { ClockAndRandom } from "../base/clock.ts";
import { once } from "../base/once.ts";
import type { SecretStore } from "../access/store.ts";
import { type Assignments, createAssignments } from "./assignment.ts";

type SecretsApp = Pick<ClockAndRandom, "random"> & { store: { secrets: SecretStore } };

/**
 * Returns a function for the assignments. Their secret is in the database; the first call of any process creates it.
 */
export function createAssignmentSource({ store, random }: SecretsApp): () => Promise<Assignments> {
  return once(async () => {
    const candidate = Buffer.from(random(32)).toString("base64url");
    return createAssignments(await store.secrets.keep("assignments", candidate));
  });
}
