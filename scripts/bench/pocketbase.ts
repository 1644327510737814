import { type Server, freePort, startServer } from "./process.ts";

/** Records of the collection that {@link startPocketbase} creates. */
export const POCKETBASE_RECORDS = "/api/collections/bench/records";

/** PocketBase with a collection that anybody may write to; undefined if it is not installed. */
export async function startPocketbase(directory: string): Promise<Server | undefined> {
  const pocketbase = Bun.which("pocketbase");
  if (!pocketbase) return undefined;
  const [email, password] = ["bench@example.com", crypto.randomUUID()];
  const create = Bun.spawnSync([pocketbase, "superuser", "upsert", email, password, "--dir", directory]);
  if (create.exitCode !== 0) throw new Error("pocketbase superuser upsert failed");
  const port = freePort();
  const command = [pocketbase, "serve", "--dir", directory, "--http", `127.0.0.1:${port}`];
  const server = await startServer(command, port, "/api/health");
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`pocketbase answered ${answer.status} to ${path}`);
    return (await answer.json()) as { token?: string };
  };
  const { token = "" } = await post("/api/collections/_superusers/auth-with-password", {
    identity: email,
    password,
  });
  const fields = ["name", "email", "message"].map((name) => ({ name, type: "text" }));
  await post(
    "/api/collections",
    { name: "bench", type: "base", fields, createRule: "" },
    { authorization: token },
  );
  return server;
}
