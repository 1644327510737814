import { expect, test } from "bun:test";
import type { Delivery, DeliveryDetails } from "../../../src/delivery/delivery.ts";
import { onData } from "../../support/commands.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer } from "../../support/executable.ts";
import { IS_POSTFIX_HERE, startPostfix } from "../../support/peers/postfix.ts";
import { tempDirectory } from "../../support/temp.ts";

test.skipIf(!IS_POSTFIX_HERE)(
  "Postfix takes mail, or refuses it for now or for good: each with its code, which decides about another try",
  async () => {
    const { port, log } = await startPostfix({
      "busy@example.net": "450 4.2.2 Mailbox full",
      "gone@example.net": "550 5.1.1 No such user",
    });
    const data = tempDirectory();
    const here = onData(data);
    const to = ["ann@example.net", "busy@example.net", "gone@example.net"];
    await here.run("forms", "create", "contact", ...to.flatMap((each) => ["--notify", each]));
    const url = `smtp://127.0.0.1:${port}?starttls=off`;
    const args = ["--smtp-url", url, "--mail-from", "forms@example.com", "--retry-delays", "1s"];
    const server = await startServer(args, { data });
    await here.run("forms", "test", "contact");
    const list = () => here.json<Delivery[]>("deliveries", "list");
    await eventually("every delivery to end", async () =>
      (await list()).every(({ status }) => status !== "queued"),
    );
    const all = await Promise.all(
      (await list()).map(({ id }) => here.json<DeliveryDetails>("deliveries", "get", id)),
    );
    const found = all.map(({ target, status, history }) => [
      target,
      status,
      ...history.map(({ code, error }) => `${code} ${error}`),
    ]);
    const refused = (code: string, why: string) =>
      `${code.slice(0, 3)} RCPT TO: ${code} <[recipient]>: Recipient address rejected: ${why}`;
    const busy = refused("450 4.2.2", "Mailbox full");
    expect(found.toSorted(([a = ""], [b = ""]) => a.localeCompare(b))).toEqual([
      ["ann@example.net", "delivered", "250 null"],
      ["busy@example.net", "failed", busy, busy],
      ["gone@example.net", "failed", refused("550 5.1.1", "No such user")],
    ]);
    expect(log()).toMatch(/to=<ann@example\.net>.*dsn=2\.0\.0, status=sent/);
    await server.stop();
  },
  60_000,
);
