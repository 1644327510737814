import type { FormsApp } from "../store.ts";
import type { Submission } from "../submission.ts";
import { type Title, type Titler, UNTITLED, titlerOf } from "./title.ts";

/** Returns the title of a submission among some. */
export type TitleOf = (submission: Submission) => Title;

/** Returns the titles of submissions, of which each form is read once. */
export async function titlesOf({ store }: FormsApp, submissions: readonly Submission[]): Promise<TitleOf> {
  const slugs = new Set(submissions.map(({ form }) => form));
  const forms = (await Promise.all([...slugs].map((slug) => store.forms.named(slug)))).flat();
  const titlers = new Map<string, Titler>();
  return (submission) => {
    const { project, form } = submission;
    const name = `${project}:${form}`;
    let titler = titlers.get(name);
    if (!titler) {
      titler = titlerOf(forms.find((each) => each.project === project && each.slug === form) ?? UNTITLED);
      titlers.set(name, titler);
    }
    const found = titler(submission);
    return { ...found, title: found.title || "No fields" };
  };
}
