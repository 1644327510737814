import { isLargerThan } from "../../../base/json.ts";
import type { Submission } from "../../../forms/submission.ts";
import { A, CopyButton } from "../parts/link.tsx";
import { submissionPath } from "./rows.tsx";

/** Characters of JSON that a page holds to be copied. */
const MAX_JSON = 32_768;

/** Characters that change how the text around them looks: JSON may have them escaped. */
const UNSEEN = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The JSON of a submission to be copied; null for a large one, whose JSON would take other requests a quarter of a second. */
function shortJson(submission: Submission): string | null {
  if (isLargerThan(MAX_JSON, submission)) return null;
  const json = JSON.stringify(submission, null, 2).replaceAll(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return json.length <= MAX_JSON ? json : null;
}

/** The JSON of a submission, to be copied or downloaded. */
export function JsonCard({ submission }: { submission: Submission }) {
  const json = shortJson(submission);
  const path = `${submissionPath(submission)}/json`;
  return (
    <section class="card" aria-labelledby="json-title">
      <h2 id="json-title">JSON</h2>
      <p class="buttons">
        {json !== null && <CopyButton of="#json">Copy as JSON</CopyButton>}
        <A to={path}>Download as JSON</A>
      </p>
      {json !== null && (
        <details id="json-details">
          <summary>Show</summary>
          <pre id="json" tabindex={0}>
            {json}
          </pre>
        </details>
      )}
    </section>
  );
}
