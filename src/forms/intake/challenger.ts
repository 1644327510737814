import { once } from "../../base/once.ts";
import { type Challenger, createChallengeKeys, createChallenger } from "./challenge.ts";
import type { FormsApp } from "../store.ts";

/** Returns a function for the challenger whose keys are in the database, where the first call of all processes makes them. */
export function createChallengerSource(app: FormsApp): () => Promise<Challenger> {
  return once(async () => {
    const { secrets } = app.store;
    const made = createChallengeKeys(app.random);
    const [signature, keySignature] = await Promise.all([
      secrets.keep("challenge-signature", made.signature),
      secrets.keep("challenge-key-signature", made.keySignature),
    ]);
    return createChallenger({ signature, keySignature }, app);
  });
}
