// Refuses a submission without a valid token of Turnstile, or of hCaptcha: SITEVERIFY=https://api.hcaptcha.com/siteverify
import { createServer } from "node:http";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

const { CHECK_SECRET = "", CAPTCHA_SECRET = "", PORT = "8790" } = process.env;
const SITEVERIFY = process.env.SITEVERIFY ?? "https://challenges.cloudflare.com/turnstile/v0/siteverify";
const webhook = new Webhook(CHECK_SECRET);

async function judge({ data }: any) {
  const token = data["cf-turnstile-response"] ?? data["h-captcha-response"];
  if (typeof token !== "string") return { verdict: "refuse", reason: "solve the challenge" };
  const answer = await fetch(SITEVERIFY, {
    method: "POST",
    body: new URLSearchParams({ secret: CAPTCHA_SECRET, response: token }),
    signal: AbortSignal.timeout(2500),
  });
  const { success, "error-codes": errors = [] } = (await answer.json()) as any;
  if (success === true) return { verdict: "ok" };
  // A wrong secret is the fault of this server, not of the sender.
  if (errors.some((code: string) => code.includes("secret"))) throw new Error(errors.join());
  return { verdict: "refuse", reason: "solve the challenge again" };
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
