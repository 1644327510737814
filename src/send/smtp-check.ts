import type { NodemailerError } from "nodemailer";
import { failedAttempt } from "./smtp-result.ts";
import { type SmtpConfig, checkMailConfig, openTransport, secretsOf } from "./smtp-transport.ts";

/** Milliseconds. Some servers hold back the answer to a wrong login for ten seconds and more. */
const TIMEOUTS = { connect: 5000, silent: 20_000 };

/**
 * Connects to a mail server and logs in, without sending anything. Returns what failed, in one line without the password, or
 * null. Throws `invalid` as `checkMailConfig` does.
 */
export async function checkMailServer(config: SmtpConfig, timeouts = TIMEOUTS): Promise<string | null> {
  checkMailConfig(config);
  const { transporter, command } = await openTransport(config, timeouts);
  try {
    await transporter.verify();
    return null;
  } catch (error) {
    const { helo } = config;
    const conversation = { command: command(), helo, silent: timeouts.silent, secrets: secretsOf(config) };
    return failedAttempt(error as NodemailerError, conversation).error;
  }
}
