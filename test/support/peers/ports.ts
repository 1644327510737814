/** Ports below the ones that systems give to outgoing connections, which could take one before it is listened to. */
const PORTS = { first: 20_000, count: 12_000 };

/** A port that was free a moment ago and that no outgoing connection gets. */
export function freePort(): number {
  for (let tries = 0; ; tries += 1) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch (error) {
      if (tries === 100) throw error;
    }
  }
}

/** Whether something listens at a port of this machine. */
export async function canConnect(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}
