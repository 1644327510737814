import { openTestApp } from "../app.ts";
import { startServer } from "../executable.ts";
import { furnish } from "./furnished.ts";

/** Mail that nothing takes: deliveries of the dashboard wait. */
const NO_MAIL = ["--smtp-url", "smtp://127.0.0.1:1", "--mail-from", "formflag@example.com"];

/** A server whose dashboard is full; `furnish` says of what. */
export async function startFullServer(texts?: readonly string[]) {
  const app = openTestApp();
  const made = await furnish(app, texts);
  return { made, server: await startServer(NO_MAIL, { data: app.directory }) };
}
