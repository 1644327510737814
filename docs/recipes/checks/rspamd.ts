// Asks rspamd on this machine about the submission as a mail: apt install rspamd
import { createServer } from "node:http";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

const { CHECK_SECRET = "", RSPAMD = "http://127.0.0.1:11333/checkv2", PORT = "8790" } = process.env;
const SPAM = ["reject", "rewrite subject", "add header"];
const webhook = new Webhook(CHECK_SECRET);

async function judge({ id, form, data, meta, createdAt }: any) {
  const email = /^[^\s<>@]+@[^\s<>@]+$/.exec(String(data.email))?.[0] ?? "unknown@forms.invalid";
  const mail = `From: <${email}>
To: <${form}@forms.invalid>
Subject: ${form}
Date: ${new Date(createdAt).toUTCString()}
Message-ID: <${id}@forms.invalid>
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

${Object.values(data).join("\n")}`;
  const headers = meta?.address ? { From: email, IP: meta.address } : { From: email };
  const request = { method: "POST", headers, body: mail, signal: AbortSignal.timeout(2500) };
  const { action, score } = (await (await fetch(RSPAMD, request)).json()) as any;
  return SPAM.includes(action) ? { verdict: "spam", reason: `rspamd: ${score} points` } : { verdict: "ok" };
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
