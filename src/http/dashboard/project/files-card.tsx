import type { Project } from "../../../projects/project.ts";
import { A, ButtonLink } from "../parts/link.tsx";
import { environmentPath, projectPath } from "../paths.ts";
import { useMay } from "../view.ts";
import { Section } from "./section.tsx";

/** Files of flags and segments, out and in. */
export function Files({ project: { slug, environments } }: { project: Project }) {
  const canImport = useMay("flags:write");
  const path = projectPath(slug);
  return (
    <Section
      id="files"
      end={
        <>
          {canImport && (
            <>
              <A to={`${path}/import`}>Import a file…</A> ·{" "}
            </>
          )}
          <A to={`${path}/document.json`}>Export a document</A>
        </>
      }
    >
      <details class="fold">
        <summary>
          <span>flagd</span>
          <span>
            A document holds the flags and segments of every environment; a flagd file those of one, as flagd
            and OpenFeature's providers read it.
          </span>
          <span class="change">Export</span>
        </summary>
        <ul class="buttons">
          {environments.slice(0, 20).map((environment) => (
            <li>
              <ButtonLink to={`${environmentPath(slug, environment.slug)}/flagd.json`} icon="download">
                flagd, {environment.slug}
              </ButtonLink>
            </li>
          ))}
        </ul>
      </details>
    </Section>
  );
}

/** The way to the page that deletes the project. */
export function Deletion({ project: { slug } }: { project: Project }) {
  if (!useMay("admin", {})) return null;
  return (
    <section class="card" id="delete-project" aria-labelledby="delete-title">
      <div class="title">
        <h2 id="delete-title">Delete</h2>
        <span class="end">
          <ButtonLink to={`${projectPath(slug)}/delete`} kind="danger" icon="trash">
            Delete {slug}…
          </ButtonLink>
        </span>
      </div>
      <p class="soft small">
        Its environments, flags, segments, forms, submissions and history are deleted with it.
      </p>
    </section>
  );
}
