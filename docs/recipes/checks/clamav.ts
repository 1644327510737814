// Refuses a submission with a file in which ClamAV on this machine finds something: apt install clamav-daemon
import { createServer } from "node:http";
import { connect } from "node:net";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

const { CHECK_SECRET = "", CLAMD = "/run/clamav/clamd.ctl", PORT = "8790" } = process.env;
const { FORMS_URL = "http://127.0.0.1:8787" } = process.env;
const webhook = new Webhook(CHECK_SECRET);

async function scan(bytes: Buffer): Promise<string> {
  const socket = connect(CLAMD).setTimeout(2500, () => socket.destroy(new Error("clamd is late")));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  socket.write(Buffer.concat([Buffer.from("zINSTREAM\0"), size, bytes, Buffer.alloc(bytes.length && 4)]));
  return Buffer.concat(await Array.fromAsync(socket))
    .toString()
    .replace(/^stream: |\0/g, "");
}

async function judge({ files }: any) {
  for (const { url, name } of files) {
    const file = await fetch(new URL(url, FORMS_URL), { signal: AbortSignal.timeout(2500) });
    if (!file.ok) throw new Error(`the link to a file is answered ${file.status}`);
    const found = await scan(Buffer.from(await file.arrayBuffer()));
    if (found.endsWith("FOUND")) return { verdict: "refuse", reason: `${name} has ${found.slice(0, -6)}` };
    if (found !== "OK") throw new Error(`clamd said ${found}`);
  }
  return { verdict: "ok" };
}

createServer(async (request, response) => {
  try {
    const body = Buffer.concat(await Array.fromAsync(request));
    const { data } = webhook.verify(body, request.headers as Record<string, string>) as any;
    response.end(JSON.stringify(await judge(data)));
  } catch (error) {
    console.error(String(error));
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
  }
}).listen(Number(PORT), "127.0.0.1", () => console.log("listening"));
