import { shortName } from "../../../access/place.ts";
import type { SeenFlags } from "../../../forms/seen-flags.ts";
import { handledOf } from "../../../forms/submission-columns.ts";
import { Card, Facts } from "../parts/card.tsx";
import { A } from "../parts/link.tsx";
import { Foreign, ForeignValue } from "../parts/text.tsx";
import { ExactTime } from "../parts/time.tsx";
import { formPath } from "../paths.ts";
import type { SubmissionView } from "./submission-view.ts";

/** The facts about the sender of a submission. */
export function Sender({ view: { submission, address, formName, mails, work } }: { view: SubmissionView }) {
  const { id, createdAt, meta, flags, project, form } = submission;
  const name = shortName({ project, slug: form });
  const subject = encodeURIComponent(`Re: ${formName.toWellFormed()}`);
  return (
    <Card id="sender-title" title="Sender">
      {address !== null && (
        <p class="buttons">
          <a
            class={mails ? "button" : "button primary"}
            aria-keyshortcuts={mails && work !== null ? undefined : "r"}
            href={`mailto:${encodeURIComponent(address.toWellFormed())}?subject=${subject}`}
          >
            Reply by mail
          </a>
          <A to="/people" query={{ q: address }}>
            Everything from <Foreign text={address} />
          </A>
        </p>
      )}
      <Facts
        class="row"
        facts={[
          ["Received", <ExactTime at={Date.parse(createdAt)} />],
          ["Form", <A to={formPath(name)}>{name}</A>],
          ...handledOf(submission).map(({ label, words }) => [label, <Foreign text={words} />] as const),
          has(meta?.address) && ["Address", <Foreign text={meta!.address!} />],
          has(meta?.referrer) && ["Sent from", <ForeignValue text={meta!.referrer!} />],
          flags !== null && [
            `Flags of ${flags.project}/${flags.environment}`,
            <SeenVariants flags={flags} />,
          ],
          has(meta?.language) && ["Language", <Foreign text={meta!.language!} />],
          has(meta?.userAgent) && ["Browser", <Foreign text={meta!.userAgent!} />],
          ["Id", <code>{id}</code>],
        ]}
      />
    </Card>
  );
}

/** The variants that a sender got, each a link to the submissions of those who got the same. */
function SeenVariants({ flags: { variants } }: { flags: SeenFlags }) {
  return (
    <>
      {Object.entries(variants).map(([flag, variant], index) => (
        <>
          {index > 0 && " "}
          <A to="/inbox" query={{ flag: `${flag}=${variant}` }}>
            <Foreign text={`${flag}=${variant}`} />
          </A>
        </>
      ))}
    </>
  );
}

function has(text: string | null | undefined): boolean {
  return text !== null && text !== undefined && text !== "";
}
