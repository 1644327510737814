import { type RunningServer, startServer } from "../../support/executable.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/peers/ports.ts";

/** What kills servers, and decides when. */
export type Killer = {
  /** A server has a process now, which does not listen yet. */
  spawned: (server: number, pid: number) => void;
  /** It has ended. */
  ended: (server: number) => void;
  /** Servers may be killed by what is done from now on, which has this name; null for not any more. */
  during: (what: string | null) => void | Promise<void>;
};

/** Servers of one database, each of which is started again whenever it has ended. */
export type House = {
  /** The answer of a server that is up; null if the connection was lost, or there is no answer for now (503). */
  send: (path: string, init?: RequestInit) => Promise<Response | null>;
  /** What servers have logged, over all their lives. */
  log: () => string;
  /** How often servers were killed. */
  kills: () => number;
  stop: () => Promise<void>;
};

type Options = { count: number; data: string; killer: Killer };

/** Starts `count` servers; `env` is that of each. */
export async function openHouse(
  envOf: (server: number) => Record<string, string>,
  { count, data, killer }: Options,
): Promise<House> {
  const over = new AbortController();
  let before = "";
  let kills = 0;
  let turn = 0;
  const servers = Array.from({ length: count }, () => ({
    port: freePort(),
    running: null as RunningServer | null,
  }));
  /** Keeps one up. */
  const keep = async (server: (typeof servers)[number], index: number) => {
    while (!over.signal.aborted) {
      try {
        const args = ["--threads", "1", "--listen", `127.0.0.1:${server.port}`];
        const spawned = (pid: number) => killer.spawned(index, pid);
        const running = await startServer(args, { data, env: envOf(index), spawned });
        server.running = running;
        await running.exited;
        before += running.stderr();
      } catch (error) {
        // Killed before it listened: what it said is in the message.
        if (!(error instanceof Error && error.message.startsWith("the server ended"))) throw error;
        before += error.message;
      }
      killer.ended(index);
      if (!over.signal.aborted) kills += 1;
      server.running = null;
    }
  };
  const lives = servers.map(keep);
  return {
    async send(path, init) {
      const url = await eventually("a server is up", () => {
        const up = servers.filter(({ running }) => running !== null);
        return up.length === 0 ? null : up[(turn += 1) % up.length]!.running!.url;
      });
      try {
        const answer = await fetch(`${url}${path}`, init);
        if (answer.status !== 503) return answer;
        await answer.bytes();
      } catch (error) {
        // Only a lost connection has a code: ECONNRESET, ConnectionRefused.
        if (!(error instanceof Error && "code" in error)) throw error;
      }
      await Bun.sleep(10);
      return null;
    },
    kills: () => kills,
    log: () => before + servers.map(({ running }) => running?.stderr() ?? "").join(""),
    async stop() {
      await killer.during(null);
      await eventually("each server is up", () => servers.every(({ running }) => running !== null));
      over.abort();
      await Promise.all(servers.map(({ running }) => running!.stop()));
      await Promise.all(lives);
    },
  };
}
