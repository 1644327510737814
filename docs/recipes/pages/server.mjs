import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { OpenFeature } from "@openfeature/server-sdk";
import { FormflagProvider } from "@formflag/openfeature";
import { bootstrap } from "@formflag/openfeature/ssr";

const provider = new FormflagProvider({ url: process.env.FLAGS_URL, token: process.env.FLAGS_TOKEN });
await OpenFeature.setProviderAndWait(provider);
const client = OpenFeature.getClient();

createServer(async (request, response) => {
  if (request.url === "/page.js") {
    response.setHeader("Content-Type", "text/javascript").end(await readFile("dist/page.js"));
    return;
  }
  const context = { targetingKey: "user-42", email: "ann@example.com" };
  const isOn = await client.getBooleanValue("new-checkout", false, context);
  const { color } = await client.getObjectValue("new-checkout.payload", { color: "grey" }, context);
  response.setHeader("Content-Type", "text/html; charset=utf-8").end(`<!doctype html>
    <p id="checkout">${isOn ? `the new checkout, in ${color}` : "the old checkout"}</p>
    ${bootstrap(provider, context)}
    <script type="module" src="/page.js"></script>`);
}).listen(process.env.PORT ?? 3000);
