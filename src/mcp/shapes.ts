import { cleanedValue } from "./text.ts";

type Project = {
  slug: string;
  name: string;
  environments: readonly { slug: string; name: string; locked: boolean; approvals: number }[];
};

/** A project without the keys of its readers. */
export function projectView({ slug, name, environments }: Project) {
  return {
    slug,
    name,
    environments: environments.map((each) => ({
      slug: each.slug,
      name: each.name,
      locked: each.locked,
      approvals: each.approvals,
    })),
  };
}

/** A form without its key, and without the address that holds it. */
export function formView(form: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(form).filter(([name]) => name !== "key" && name !== "url"));
}

/** A submission with its texts cleaned and cut, and its files by name and size. */
export function submissionView(submission: {
  files: readonly { field: string; name: string; size: number }[];
}): Record<string, unknown> {
  return strangerView({
    ...submission,
    files: submission.files.map(({ field, name, size }) => ({ field, name, size })),
  });
}

/** A record with texts of strangers, cleaned and cut. */
export function strangerView(record: object): Record<string, unknown> {
  const { value, truncated } = cleanedValue(record);
  return { ...(value as object), ...(truncated && { truncated: true }) };
}
