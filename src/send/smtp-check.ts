import type { NodemailerError } from "nodemailer";
import { failedAttempt } from "./smtp-result.ts";
import { type MailConfig, checkMailConfig, openTransport, secretsOf } from "./smtp-transport.ts";

/** Milliseconds. */
const TIMEOUTS = { connect: 5000, silent: 5000 };

/**
 * Connects to a mail server and logs in, without sending anything. Returns what failed, in one line without the password, or
 * null. Throws `invalid` as `checkMailConfig` does.
 */
export async function checkMailServer(config: MailConfig): Promise<string | null> {
  checkMailConfig(config);
  const transporter = await openTransport(config, TIMEOUTS);
  try {
    await transporter.verify();
    return null;
  } catch (error) {
    return failedAttempt(error as NodemailerError, secretsOf(config)).error;
  }
}
