import type { Socket } from "node:net";
import { clock } from "../base/clock.ts";

/**
 * Connects to a server within so many milliseconds, at the first of its addresses that answers. Names are those of the system, also
 * of its hosts file: the library asks name servers alone, and writes to the terminal where a machine has only its loopback
 * interface. `done` gets an error as the library has them, or the connection.
 */
export function connectTo(
  { host, port }: { host: string; port: number },
  timeout: number,
  done: (error: Error | null, opened: { connection: Socket } | undefined) => void,
): void {
  const { connect } = process.getBuiltinModule("node:net");
  const connection = connect({ host, port, autoSelectFamily: true });
  const fail = (code: string, message: string, cause?: Error) => {
    timer.close();
    connection.destroy();
    done(Object.assign(new Error(message, { cause }), { code, command: "CONN" }), undefined);
  };
  const timer = clock.after(timeout, () => fail("ETIMEDOUT", "Connection timeout"));
  const onError = (error: Error & { syscall?: string }) => {
    // With several addresses, each has an error of its own.
    const [first = error] = error instanceof AggregateError ? (error.errors as Error[]) : [];
    fail(error.syscall === "getaddrinfo" ? "EDNS" : "ESOCKET", first.message, error);
  };
  connection.once("error", onError);
  connection.once("connect", () => {
    timer.close();
    connection.off("error", onError);
    done(null, { connection });
  });
}
