import { onTestFinished } from "bun:test";

/** Types of records (RFC 1035, 3.2.2). */
const [MX, TXT] = [15, 16];
/** "No such name" (RFC 1035, 4.1.1). */
const NXDOMAIN = 3;

export type Zone = Record<string, { txt?: string[]; mx?: string[] }>;

/** A name server (RFC 1035) for the names of a zone; any other does not exist. Its address can be read from the name of a server. */
export async function openNameServer(zone: Zone): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const socket = await Bun.udpSocket({
    hostname: "127.0.0.1",
    socket: {
      data(socket, query, port, address) {
        const { name, type, end } = questionOf(query);
        asked.push(name);
        const found = zone[name];
        const records =
          type === TXT
            ? (found?.txt ?? []).map(textData)
            : type === MX
              ? (found?.mx ?? []).map(hostData)
              : [];
        socket.send(answerTo(query.subarray(0, end), found === undefined, type, records), port, address);
      },
    },
  });
  onTestFinished(() => socket.close());
  return { address: `127.0.0.1:${socket.port}`, asked };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query[at] !== 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + query[at]!));
    at += 1 + query[at]!;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, isMissing: boolean, type: number, records: Buffer[]): Buffer {
  const head = Buffer.from(question);
  // An answer with recursion.
  head.writeUInt16BE(0x81_80 | (isMissing ? NXDOMAIN : 0), 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  const answers = records.map((data) => {
    const record = Buffer.alloc(12);
    // The name of the question.
    record.writeUInt16BE(0xc0_0c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, ...answers]);
}

/** Parts of at most 255 bytes. */
function textData(text: string): Buffer {
  const parts = text.match(/.{1,255}/g) ?? [""];
  return Buffer.concat(parts.flatMap((part) => [Buffer.from([part.length]), Buffer.from(part)]));
}

function hostData(host: string): Buffer {
  const labels = host.split(".").filter(Boolean);
  const parts = labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]);
  return Buffer.concat([Buffer.from([0, 10]), ...parts, Buffer.from([0])]);
}
