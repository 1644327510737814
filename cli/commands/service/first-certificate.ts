import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "./machine.ts";
import { NAME, type Service } from "./systemd.ts";

/** How often the log is looked at: an authority answers within seconds. */
const LOOKS = 300;

/** The line of the log about the first order. */
const OUTCOME = /"message":("(?:got a certificate|No new certificate)(?:[^"\\]|\\.)*")/;

/** Whether a service has to get the first certificate of its domains. */
export function needsCertificate({ args, data }: Service): boolean {
  return args.includes("--domain") && !existsSync(join(data ?? `/var/lib/${NAME}`, "certificates"));
}

/** Waits for the first certificate, and says that it is there, or why not. The server tries again by itself. */
export async function awaitCertificate(
  { wait }: Machine,
  log: () => Promise<string>,
  step: (text: string) => void,
): Promise<void> {
  for (let looks = 1; looks <= LOOKS; looks += 1) {
    const outcome = OUTCOME.exec(await log())?.[1];
    if (outcome !== undefined) return step(JSON.parse(outcome) as string);
    await wait();
  }
  step("there is no certificate yet: formflag doctor says why");
}
