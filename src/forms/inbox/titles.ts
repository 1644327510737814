import { isoTime } from "../../base/clock.ts";
import type { DeliveryContent } from "../../delivery/store.ts";
import { parseFields } from "../../delivery/text.ts";
import { type FormPlace, shortName } from "../../access/place.ts";
import type { FormsApp } from "../store.ts";
import type { Submission } from "../submission.ts";
import { type Title, UNTITLED, titlerOf } from "./title.ts";

/** Returns the title of a submission among some, and the name of its form. */
export type TitleOf = (submission: Submission) => Title & { formName: string };

/** Returns the title of the submission of a delivery, without reading anything; empty if it has nothing. */
export function titleOfContent({ form, submission }: DeliveryContent): string {
  const [data, createdAt] = [parseFields(submission.data), isoTime(submission.createdAt)];
  return titlerOf(form)({ ...submission, data, createdAt }).title;
}

/** Returns the titles of submissions, of which each form is read once. Forms that share a name are called by their slugs. */
export async function titlesOf({ store }: FormsApp, submissions: readonly Submission[]): Promise<TitleOf> {
  const slugs = new Set(submissions.map(({ form }) => form));
  const found = (await Promise.all([...slugs].map((slug) => store.forms.named(slug)))).flat();
  const keyOf = ({ project, slug }: FormPlace) => `${project}:${slug}`;
  const known = new Set(submissions.map(({ project, form }) => keyOf({ project, slug: form })));
  const forms = found.filter((form) => known.has(keyOf(form)));
  const called = Map.groupBy(forms, ({ name }) => name);
  const titlers = new Map(
    forms.map((form) => {
      const formName = called.get(form.name)!.length > 1 ? shortName(form) : form.name;
      return [keyOf(form), { formName, titler: titlerOf(form) }];
    }),
  );
  return (submission) => {
    const place = { project: submission.project, slug: submission.form };
    const { formName = shortName(place), titler = titlerOf(UNTITLED) } = titlers.get(keyOf(place)) ?? {};
    const title = titler(submission);
    return { ...title, title: title.title || "No fields", formName };
  };
}
