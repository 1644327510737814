import { operatorCaller } from "../../access/caller.ts";
import { DAY_MS } from "../../base/days.ts";
import type { FormsApp } from "../store.ts";
import type { Submission } from "../submission.ts";
import { readSubmission } from "../submissions.ts";
import { ID, createLinkTokens, idBytes, idIn } from "./link-tokens.ts";
import { markSubmissions } from "./submission-marks.ts";

/** The path of links that mark a submission as spam, without the token. */
export const SPAM_LINK_PATH = "/v1/spam";

export type SpamLinks = {
  /** A link that marks a submission as spam once its reader confirms, valid for 30 days. */
  url: (submission: string) => Promise<string>;
  /**
   * The submission that a token from a link names. Throws `not_found` for another token and for a submission that was
   * deleted, and `gone` once the link has expired.
   */
  find: (token: string) => Promise<Submission>;
  /** Marks that submission as spam. Throws as `find`. */
  mark: (token: string) => Promise<Submission>;
};

/** Links for people who are notified by mail and have no account: as those to files, with a secret of their own. */
export function createSpamLinks(app: FormsApp, base: string): SpamLinks {
  const tokens = createLinkTokens(app, {
    secret: "spam-links",
    size: ID,
    lifetime: 30 * DAY_MS,
    missing: "there is no submission at this address",
  });
  const find = async (token: string) => readSubmission(app, idIn(await tokens.read(token)));
  const reader = operatorCaller(
    () => "a link in a mail",
    () => false,
  );
  return {
    url: async (submission) => `${base}${SPAM_LINK_PATH}/${await tokens.create(idBytes(submission))}`,
    find,
    async mark(token) {
      const { id } = await find(token);
      await markSubmissions(app, reader, [id], "spam");
      return readSubmission(app, id);
    },
  };
}
