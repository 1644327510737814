import { shortName } from "../../../access/place.ts";
import { Tabs } from "../parts/link.tsx";
import { formPath } from "../paths.ts";
import { useMayWriteForms } from "../view.ts";

const TABS = [
  { label: "Overview", path: "", isForWriters: false },
  { label: "Fields", path: "/fields", isForWriters: true },
  { label: "History", path: "/history", isForWriters: false },
] as const;

/** Links to the pages of a form, of which `current` is shown. */
export function FormTabs({
  form,
  current,
}: {
  form: { project: string; slug: string };
  current: (typeof TABS)[number]["label"];
}) {
  const mayChange = useMayWriteForms(form.project);
  const tabs = TABS.filter(({ isForWriters }) => mayChange || !isForWriters).map(({ label, path }) => ({
    to: `${formPath(shortName(form))}${path}`,
    label,
    isCurrent: label === current,
  }));
  return <Tabs label="Form" tabs={tabs} />;
}
