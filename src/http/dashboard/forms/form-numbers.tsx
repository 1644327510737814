import { Tile, trendOf } from "../parts/tile.tsx";
import { shortName } from "../../../access/place.ts";
import { roughDuration } from "../../../base/units.ts";
import { rolesOf } from "../../../forms/inbox/field-roles.ts";
import { type FieldRow, rowsOfSchema } from "../../../forms/intake/field-rows.ts";
import { spamCheckInWords } from "../../../forms/spam/spam-reason.ts";
import { Empty } from "../parts/card.tsx";
import { A } from "../parts/link.tsx";
import { Share } from "../parts/spark.tsx";
import { Badge, type Tone } from "../parts/status.tsx";
import { Foreign, counted } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { formPath, inboxPath } from "../paths.ts";
import { submissionPath } from "../submissions/rows.tsx";
import { useMayWriteForms } from "../view.ts";
import type { FormShown } from "./form-shown.ts";

/** The four numbers of a form. */
export function Tiles({ form, stats }: FormShown) {
  const { days, submissions, spam, answers, last } = stats;
  const inbox = inboxPath(shortName(form));
  const since = days[0]!;
  const span = counted(days.length, "day");
  return (
    <div class="tiles">
      <Tile
        to={inbox}
        query={{ since }}
        name={`Submissions, ${span}`}
        value={submissions.total.toLocaleString("en")}
        trend={trendOf(submissions)}
        values={drawn(submissions.byDay)}
      />
      <Tile
        to={inbox}
        query={{ folder: "spam", since }}
        // The count is of arrivals; the folder also has what people moved there.
        name={`Spam, ${span}`}
        value={spam.total.toLocaleString("en")}
        trend={
          spam.total > 0 &&
          spam.reasons
            .slice(0, 2)
            .map(({ reason }) => spamCheckInWords(reason))
            .join(", ")
        }
        values={drawn(spam.byDay)}
      />
      <Tile
        to={inbox}
        query={{ folder: "archived" }}
        name="First answer, median"
        value={answers.median === null ? "none yet" : roughDuration(answers.median)}
        trend={answers.median !== null && `${answers.answered} of ${answers.of} answered`}
        values={drawn(answers.byDay.filter((each) => each !== null))}
      />
      {last === null ? (
        <div class="tile">
          <span class="soft small">Last submission</span>
          <span class="line">
            <b>none yet</b>
          </span>
        </div>
      ) : (
        <A to={submissionPath({ ...form, form: form.slug, id: last.id })} class="tile">
          <span class="soft small">Last submission</span>
          <span class="line">
            <b>
              <Time at={Date.parse(last.createdAt)} />
            </b>
          </span>
          <span class="soft small">
            <Foreign text={last.title} />
            {last.from !== null && (
              <>
                {last.title !== "" && ", "}from <Foreign text={last.from} />
              </>
            )}
          </span>
        </A>
      )}
    </div>
  );
}

/** Counts of which one at least is more than 0; else none, of which no line is drawn. */
const drawn = (counts: readonly number[]) => (counts.some((each) => each > 0) ? counts : []);

const KINDS: Record<FieldRow["type"], string> = {
  text: "text",
  paragraph: "long text",
  email: "mail address",
  number: "number",
  date: "date",
  "yes or no": "yes or no",
  choice: "choice",
  choices: "several choices",
  other: "as in JSON",
};

/** Fields that the page of a form lists. */
const MAX_FIELDS = 40;

const ROLES: Record<string, Tone> = { title: "info", sender: "neutral", "second line": "neutral" };

/** The fields of a form: of which kind they are, how often they are filled in, and what they are in the inbox. */
export function FieldsCard({ form, stats: { fields, sample } }: FormShown) {
  const mayChange = useMayWriteForms(form.project);
  const read = rowsOfSchema(form.schema);
  const rows = new Map("rows" in read ? read.rows.map((row) => [row.name, row]) : []);
  const names = "rows" in read ? [...rows.keys()] : [];
  const filled = new Map(fields.map((each) => [each.field, each.filled]));
  const all = [...new Set([...names, ...filled.keys()])];
  const roles = rolesOf(form, all);
  return (
    <section class="card flush" aria-labelledby="fields">
      <div class="title">
        <h2 id="fields">Fields</h2>
        {mayChange && (
          <A to={`${formPath(shortName(form))}/fields`} class="end">
            Change them
          </A>
        )}
      </div>
      {all.length === 0 ? (
        <Empty title="No fields yet">
          <p class="soft">It takes whatever is sent to it. What was sent is listed here.</p>
        </Empty>
      ) : (
        <table class="lines">
          <caption class="unseen">Fields, filled in by the newest {counted(sample)}</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Kind</th>
              <th scope="col" colspan={2}>
                Filled in
              </th>
              <th scope="col" class="numeric">
                In the inbox
              </th>
            </tr>
          </thead>
          <tbody>
            {all.slice(0, MAX_FIELDS).map((name) => {
              const percent = sample === 0 ? null : Math.round(((filled.get(name) ?? 0) / sample) * 100);
              const role = roles.get(name) ?? "below";
              const tone = ROLES[role];
              return (
                <tr>
                  <th scope="row">
                    <Foreign text={name} />
                  </th>
                  <td>{kindOf(rows.get(name), form.schema)}</td>
                  <td class="meter off-phone">{percent !== null && <Share percents={[percent]} />}</td>
                  <td class="small soft nowrap">
                    {percent === null ? "–" : `${percent} %`}
                    <span class="only-phone"> filled in</span>
                  </td>
                  <td>{tone ? <Badge tone={tone}>{role}</Badge> : <span class="soft small">{role}</span>}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {all.length > MAX_FIELDS && <p class="small soft">{counted(all.length - MAX_FIELDS, "more field")}</p>}
    </section>
  );
}

function kindOf(row: FieldRow | undefined, schema: object | null): string {
  if (row) return `${KINDS[row.type]}${row.required ? ", required" : ""}`;
  if (schema === null) return "any";
  const { properties } = schema as { properties?: object };
  return properties === undefined ? "as in JSON" : "not among the fields";
}
