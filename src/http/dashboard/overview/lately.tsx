import type { Coming } from "../../../operations/today/upcoming.ts";
import type { RecentRevision } from "../../../projects/history.ts";
import { A } from "../parts/link.tsx";
import { Actor, Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { projectPath, settingPath, flagPath } from "../paths.ts";

/** Changes that come by themselves, the next first. `project` is the only one, whose releases are linked. */
export function ComingCard({ coming, project }: { coming: readonly Coming[]; project: string | null }) {
  return (
    <section class="card flush" aria-labelledby="coming">
      <div class="title">
        <h2 id="coming">Happens by itself</h2>
        {project !== null && (
          <A to={`${projectPath(project)}/releases`} class="end">
            All releases
          </A>
        )}
      </div>
      {coming.length === 0 ? (
        <p class="soft quiet-line">Nothing changes by itself in the next 30 days.</p>
      ) : (
        <ul class="rows list">
          {coming.map(({ at, title, subject, path }) => {
            const start = subject === null ? -1 : title.indexOf(subject);
            return (
              <li class="when">
                <Time at={at} />
                <p>
                  {start === -1 || path === null ? (
                    <Foreign text={title} />
                  ) : (
                    <>
                      <Foreign text={title.slice(0, start)} />
                      <A to={path}>
                        <Foreign text={subject!} />
                      </A>
                      <Foreign text={title.slice(start + subject!.length)} />
                    </>
                  )}
                </p>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

/** The newest changes of flags, with who made them and why. */
export function ChangedCard({
  changes,
  project: only,
}: {
  changes: readonly RecentRevision[];
  project: string | null;
}) {
  return (
    <section class="card flush" aria-labelledby="changed">
      <div class="title">
        <h2 id="changed">What changed</h2>
        {only !== null && (
          <A to={`${projectPath(only)}/history`} class="end">
            History
          </A>
        )}
      </div>
      {changes.length === 0 ? (
        <p class="soft quiet-line">No flag has changed in 30 days.</p>
      ) : (
        <ul class="rows list">
          {changes.map((change) => {
            const { revision, project, environment, flag, at, why } = change;
            return (
              <li class="when" id={`change-${revision}`}>
                <Time at={at} />
                <p>
                  <A
                    to={
                      environment === null
                        ? flagPath(project, flag)
                        : settingPath({ project, environment, flag })
                    }
                  >
                    {flag}
                  </A>{" "}
                  {verbOf(change)}
                  {environment !== null && ` in ${environment}`}
                  {only === null && `, ${project}`}, by <Actor by={change} />
                  {why !== null && (
                    <>
                      : <q>{<Foreign text={why} />}</q>
                    </>
                  )}
                </p>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

function verbOf({ wasOn, isOn }: RecentRevision): string {
  if (wasOn === null) return "created";
  if (isOn === null) return "deleted";
  if (wasOn === isOn) return "changed";
  return isOn ? "turned on" : "turned off";
}
