import { WhyField } from "../parts/why-field.tsx";
import { hasExpired } from "../../../flags/flag.ts";
import { MayChange, formatRate } from "../parts/confirm.tsx";
import { TextField } from "../parts/field.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { Facts } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { useView } from "../view.ts";
import { Expiry, FlagState, LastRead } from "./flag-facts.tsx";
import { settingPath } from "./paths.ts";
import type { Setting } from "./setting-data.ts";

/** How long a change for a while may last, in milliseconds. */
export const SPANS = [
  { label: "15 minutes", ms: 900_000 },
  { label: "1 hour", ms: 3_600_000 },
  { label: "2 hours", ms: 7_200_000 },
  { label: "8 hours", ms: 28_800_000 },
  { label: "1 day", ms: 86_400_000 },
] as const;

/** What somebody typed beside the switch, and what is wrong with it. */
export type StateDraft = { why: string; span: string; at: string; fault?: string | undefined };

/** Whether a flag is on in an environment, and the buttons that change it: now, for a while, or later. */
export function StateCard({ setting, draft }: { setting: Setting; draft: StateDraft | null }) {
  const { place, environment, record, readAt, rate, last } = setting;
  const history = { name: place.flag, environment: place.environment, kind: "flag" };
  return (
    <section class="card" aria-labelledby="state-title">
      <h2 id="state-title">
        <EnvironmentName environment={environment} />
        <FlagState record={record} />
      </h2>
      <Facts
        facts={[
          ["Last read", <LastRead at={readAt} />],
          ["Reads", formatRate(rate)],
          ["Expires", <Expiry record={record} />],
          [
            "Last changed",
            last === null ? (
              <span class="soft">never</span>
            ) : (
              <>
                <Foreign text={last.who} />, <Time at={last.at} />
                {last.why && (
                  <>
                    : <Foreign text={last.why} />
                  </>
                )}
                {" · "}
                <A to={`${projectPath(place.project)}/history`} query={history}>
                  History
                </A>
              </>
            ),
          ],
        ]}
        class="row"
      />
      <MayChange environments={[environment]}>
        <StateForm setting={setting} draft={draft} />
      </MayChange>
    </section>
  );
}

function StateForm({ setting, draft }: { setting: Setting; draft: StateDraft | null }) {
  const { place, record } = setting;
  const { now, timeZone } = useView();
  const verb = record.enabled ? "Turn off" : "Turn on";
  const enabled = record.enabled ? "off" : "on";
  const { why = "", span = "7200000", at = "", fault } = draft ?? {};
  return (
    <Form
      to={settingPath(place)}
      values={{ revision: record.revision, enabled }}
      class="stack"
      id="state-form"
      label={`State in ${place.environment}`}
      isChanged={draft !== null}
    >
      {record.enabled && hasExpired(record, now) && (
        <Notice tone="warn">
          <p>It is switched on, and off for its readers since it expired.</p>
        </Notice>
      )}
      <WhyField id="state-why" value={why} />
      <p class="buttons">
        <Button kind="primary" name="act" value="state">
          {verb} in {place.environment}
        </Button>
      </p>
      <details open={draft !== null && (draft.at !== "" || fault !== undefined)} id="state-later">
        <summary>For a while, or later</summary>
        <div class="stack">
          <p class="buttons">
            <label for="span">{verb} for</label>
            <select id="span" name="span" class="short">
              {SPANS.map(({ label, ms }) => (
                <option value={ms} selected={String(ms) === span}>
                  {label}
                </option>
              ))}
            </select>
            <Button name="act" value="for" icon="clock">
              {verb} for a while in {place.environment}
            </Button>
          </p>
          <TextField
            id="state-at"
            name="at"
            type="datetime-local"
            label={`${verb} at`}
            hint={`Time zone ${timeZone}.`}
            value={at}
            error={fault}
          />
          <p>
            <Button name="act" value="state-at" icon="clock">
              {verb} later in {place.environment}
            </Button>
          </p>
        </div>
      </details>
    </Form>
  );
}
