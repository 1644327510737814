import type { Server } from "../process.ts";
import { EXECUTABLE, commandLine } from "../formflag.ts";

/** A server, and the cookie of an administrator who is signed in. */
export type Site = { server: Server; cookie: string };

/** An answer as a browser receives it: compressed. Times are milliseconds from the request on. */
export type Answer = { status: number; firstByte: number; type: string; bytes: Uint8Array };

/** Signs the administrator in. */
export async function signIn(server: Server, data: string, executable = EXECUTABLE): Promise<Site> {
  const { url } = await commandLine<{ url: string }>(executable, data, ["users", "link"]);
  const answer = await fetch(new URL(url, server.url), {
    method: "POST",
    redirect: "manual",
    headers: { origin: server.url, "content-type": "application/x-www-form-urlencoded" },
  });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (!cookie) throw new Error(`signing in is answered with ${answer.status}`);
  return { server, cookie };
}

/** Loads a path of the dashboard. Throws unless it is a page or a file. */
export async function load({ server, cookie }: Site, path: string): Promise<Answer> {
  const start = performance.now();
  const answer = await fetch(`${server.url}${path}`, {
    headers: { cookie, "accept-encoding": "gzip" },
    decompress: false,
    redirect: "manual",
  });
  const firstByte = performance.now() - start;
  const bytes = await answer.bytes();
  if (answer.status !== 200) throw new Error(`${path} is answered with ${answer.status}`);
  return { status: answer.status, firstByte, type: answer.headers.get("content-type") ?? "", bytes };
}
