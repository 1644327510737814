import type { Child } from "hono/jsx";
import { type StaleCount, type Upcoming, MAX_UPCOMING } from "../../../flags/schedule/upcoming.ts";
import { MAX_STATS_DELIVERIES } from "../../../maintenance/limits.ts";
import type { FormStats } from "../../../maintenance/stats.ts";
import { A, ButtonLink } from "../parts/link.tsx";
import { Time } from "../parts/time.tsx";
import { Empty } from "../parts/card.tsx";
import { useMay, useMayWriteForms } from "../view.ts";

type Target = Pick<Parameters<typeof A>[0], "to" | "query">;

/** Tiles of open work in forms. */
export function FormTiles({ stats: { forms, deliveries } }: { stats: FormStats }) {
  const [unread, spam] = [sumOf(forms, "unread"), sumOf(forms, "spam")];
  const { queued, failed } = deliveries;
  return (
    <>
      <Tile count={unread} label="Unread submissions" to="/inbox" query={{ unread: unread > 0 && 1 }} />
      <Tile count={spam} label="Held as spam" to="/inbox" query={{ folder: "spam" }} />
      <Tile
        count={failed}
        most={MAX_STATS_DELIVERIES}
        label="Failed deliveries"
        isBad={failed > 0}
        to="/deliveries"
        query={{ status: failed > 0 && "failed" }}
      >
        {queued > 0 && `${counted(queued, MAX_STATS_DELIVERIES)} waiting`}
      </Tile>
    </>
  );
}

/** Tiles of open work in flags. */
export function FlagTiles({ upcoming, stale }: { upcoming: Upcoming; stale: readonly StaleCount[] }) {
  const { count, next } = upcoming;
  const [most] = stale;
  return (
    <>
      <Tile
        count={count}
        most={MAX_UPCOMING}
        label="Scheduled changes"
        to={next ? `/projects/${next.project}/scheduled` : "/projects"}
      >
        {next && (
          <>
            Next: {next.flag} in {next.environment}, <Time at={Date.parse(next.at)} />
          </>
        )}
      </Tile>
      <Tile
        count={stale.reduce((sum, each) => sum + each.count, 0)}
        label="Stale flags"
        to={most ? `/projects/${most.project}/stale` : "/projects"}
      >
        {stale.length > 1 &&
          stale
            .slice(0, 3)
            .map((each) => `${each.count} in ${each.project}`)
            .join(", ")}
      </Tile>
    </>
  );
}

function Tile({
  count,
  most = Number.POSITIVE_INFINITY,
  label,
  isBad = false,
  children,
  ...target
}: Target & { count: number; most?: number; label: string; isBad?: boolean; children?: Child }) {
  return (
    <li>
      <A {...target} class={`card tile${isBad ? " bad" : ""}`}>
        <span class="count">{counted(count, most)}</span> <span>{label}</span>
        {children && <span class="soft small"> {children}</span>}
      </A>
    </li>
  );
}

/** A number of which no more than `most` are counted. */
function counted(count: number, most: number): string {
  return `${count.toLocaleString("en")}${count >= most ? "+" : ""}`;
}

function sumOf(forms: FormStats["forms"], name: "unread" | "spam"): number {
  return forms.reduce((sum, form) => sum + form[name], 0);
}

/** First steps, if there is no form or no project yet. */
export function FirstSteps({ hasForm, hasProject }: { hasForm: boolean; hasProject: boolean }) {
  return (
    <div class="columns">
      {!hasForm && (
        <Empty title="There is no form yet">
          <p>A form takes what people send from your pages, and keeps it in the inbox.</p>
          {useMayWriteForms(null) && (
            <ButtonLink to="/forms/new" kind="primary" icon="plus">
              Create a form
            </ButtonLink>
          )}
          <code>formflag forms create contact</code>
        </Empty>
      )}
      {!hasProject && (
        <Empty title="There is no project yet">
          <p>A project holds the flags of an application, with a value for each environment.</p>
          {useMay("flags:write") && (
            <ButtonLink to="/projects" kind="primary" icon="plus">
              Create a project
            </ButtonLink>
          )}
          <code>formflag projects create shop</code>
        </Empty>
      )}
    </div>
  );
}
