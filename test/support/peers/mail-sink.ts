import { afterAll } from "bun:test";
import { readFileSync } from "node:fs";
import { type Server, type Socket, createServer } from "node:net";
import { join } from "node:path";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import { tempDirectory } from "../temp.ts";

export type Received = {
  raw: Buffer;
  email: Email;
  /** The addresses of MAIL FROM and RCPT TO. */
  from: string;
  to: string[];
  isEncrypted: boolean;
  user: string | undefined;
};

/** A reply that refuses, such as `552 5.3.4 Too large`. */
export function reply(text: string): Error {
  const [code, ...rest] = text.split(" ");
  return Object.assign(new Error(rest.join(" ")), { responseCode: Number(code) });
}

type Options = Omit<SMTPServerOptions, "onData"> & {
  /** Returns the reply that refuses a message. */
  refuse?: (raw: Buffer) => Error | null;
  /** Where it listens, if not at a free port of this machine alone. */
  at?: { port: number; host: string };
};

type Given = Parameters<NonNullable<SMTPServerOptions["onData"]>>;

/** A real SMTP server on a port of its own, which keeps what it accepts. Without a certificate it offers no STARTTLS. */
export async function openMailSink({
  refuse = () => null,
  at = { port: 0, host: "127.0.0.1" },
  ...options
}: Options = {}) {
  const received: Received[] = [];
  const receive = async (raw: Buffer, [stream, session, done]: Given) => {
    const refusal = stream.sizeExceeded ? reply("552 5.3.4 Message too large") : refuse(raw);
    if (refusal === null) received.push(await describe(raw, session));
    done(refusal);
  };
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    ...(options.cert === undefined ? { hideSTARTTLS: true, disabledCommands: ["STARTTLS"] } : {}),
    ...options,
    onData(...given) {
      const chunks: Buffer[] = [];
      given[0].on("data", (chunk: Buffer) => chunks.push(chunk));
      // A message that is cut off has no end.
      given[0].on("end", () => void receive(Buffer.concat(chunks), given));
    },
  });
  // A client that refuses the certificate ends the connection in the middle of the handshake.
  server.on("error", () => {});
  const listener = server.listen(at.port, at.host);
  await new Promise((resolve) => listener.once("listening", resolve));
  afterAll(() => server.close(() => {}));
  return { port: portOf(listener), received };
}

async function describe(raw: Buffer, session: SMTPServerSession): Promise<Received> {
  const { mailFrom, rcptTo } = session.envelope;
  return {
    raw,
    email: await PostalMime.parse(raw),
    from: mailFrom === false ? "" : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    isEncrypted: session.secure,
    user: session.user,
  };
}

/** A server that speaks as the function says: it gets each connection. */
export async function openRawSink(speak: (socket: Socket) => void): Promise<{ port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    speak(socket);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: portOf(server) };
}

const portOf = (server: Server) => (server.address() as { port: number }).port;

/** An authority of its own, and certificates that it signed: for the names of this machine, and for another one. */
export async function createCertificates(names = "DNS:localhost,IP:127.0.0.1") {
  const directory = tempDirectory();
  const script = `set -e
cd "$1"
key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
openssl req -x509 $key -keyout ca.key -out ca.pem -days 2 -subj "/CN=Test authority" -addext basicConstraints=critical,CA:TRUE
sign() {
  openssl req $key -keyout "$1.key" -out "$1.csr" -subj "/CN=$1"
  echo "subjectAltName=$2" > "$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out "$1.pem" -extfile "$1.ext"
}
sign here ${names}
sign elsewhere DNS:mail.other.example
`;
  await Bun.$`sh -c ${script} sh ${directory}`.quiet();
  const read = (name: string) => readFileSync(join(directory, name), "utf8");
  const pair = (name: string) => ({ key: read(`${name}.key`), cert: read(`${name}.pem`) });
  return { ca: read("ca.pem"), here: pair("here"), elsewhere: pair("elsewhere") };
}
