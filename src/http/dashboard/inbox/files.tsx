import { formatBytes } from "../../../base/bytes.ts";
import type { Submission } from "../../../forms/submission.ts";
import { Icon } from "../parts/icon.tsx";
import { A } from "../parts/link.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { addressOf, useView } from "../view.ts";
import { submissionPath } from "./rows.tsx";

/** The files of a submission. `previews` has the numbers of those whose images are shown, from 1. */
export function Files({ submission, previews }: { submission: Submission; previews: ReadonlySet<number> }) {
  const view = useView();
  const path = submissionPath(submission);
  return (
    <section class="card" aria-labelledby="files-title">
      <h2 id="files-title">Files</h2>
      <ul class="stack">
        {submission.files.map(({ field, name, type, size }, index) => (
          <li class="file">
            {previews.has(index + 1) && (
              <A to={`${path}/previews/${index + 1}`} class="preview">
                <img
                  src={addressOf(view, `${path}/previews/${index + 1}`)}
                  alt={`Preview of ${visible(name)}`}
                  loading="lazy"
                />
              </A>
            )}
            <div>
              <A to={`${path}/files/${index + 1}`}>
                <Icon name="download" />
                <Foreign text={name} />
              </A>
              <p class="soft small">
                {formatBytes(size)}, <Foreign text={type} />, field <Foreign text={field} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
