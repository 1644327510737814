import { type Work, only, run } from "./work.ts";

/** The secret of that name, which is `candidate` if there was none. */
function* keepSecret(name: string, candidate: string): Work<string> {
  yield* run("INSERT INTO secrets (name, value) VALUES ($name, $candidate) ON CONFLICT (name) DO NOTHING", {
    name,
    candidate,
  });
  const { value } = yield* only<{ value: string }>("SELECT value FROM secrets WHERE name = $name", { name });
  return value;
}

export const secrets = { writes: { keep: keepSecret } };
