import { type Challenger, createChallengeKeys, createChallenger } from "./challenge.ts";
import type { FormsApp } from "./store.ts";

/**
 * Returns a function for the challenger whose keys are in the database, where the first call of all processes makes them.
 * After an error the next call tries again.
 */
export function createChallengerSource(app: FormsApp): () => Promise<Challenger> {
  let loading: Promise<Challenger> | undefined;
  const load = async () => {
    const { submissions } = app.store;
    const made = createChallengeKeys(app.random);
    const [signature, keySignature] = await Promise.all([
      submissions.keepSecret("challenge-signature", made.signature),
      submissions.keepSecret("challenge-key-signature", made.keySignature),
    ]);
    return createChallenger({ signature, keySignature }, app);
  };
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}
