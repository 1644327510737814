import { type Timer, clock } from "../../base/clock.ts";

/** Milliseconds after which a connection that listens and was lost is opened again. */
const LISTEN_AGAIN_MS = 10_000;

/** A client of the driver with one connection. */
type Client = {
  listen: (channel: string, told: () => void, begun: () => void) => Promise<unknown>;
  close: (options: { timeout: number }) => Promise<unknown>;
};

/**
 * Listens on a channel, over connections that `open` opens one after the other, until the returned function is called. `told`
 * is called after each notification, and whenever listening begins, since some may have been missed.
 */
export function listenOn(
  channel: string,
  told: () => void,
  open: (onclose: () => void) => Client | null,
): () => void {
  let current: Client | null = null;
  let timer: Timer | undefined;
  const drop = () => {
    // The driver would connect again by itself, and write to the terminal whenever that fails.
    void current?.close({ timeout: 0 }).catch(() => {});
    current = null;
  };
  const begin = () => {
    const opened = open(() => lost());
    const lost = () => {
      if (opened === null || opened !== current) return;
      drop();
      timer = clock.after(LISTEN_AGAIN_MS, begin);
    };
    current = opened;
    // Why the database is not reached is reported where it is read.
    opened?.listen(channel, told, told).catch(lost);
  };
  begin();
  return () => {
    timer?.close();
    drop();
  };
}
