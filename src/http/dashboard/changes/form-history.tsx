import { DEFAULT_PROJECT } from "../../../access/place.ts";
import { FormTabs } from "../forms/form-tabs.tsx";
import { namedShort } from "../forms/form-words.ts";
import { AppError } from "../../../base/errors.ts";
import { listFormChanges } from "../../../forms/form-history.ts";
import type { Change } from "../../../projects/history.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import type { Page } from "../page.tsx";
import { FORM, formPath } from "../paths.ts";
import { Empty } from "../parts/card.tsx";
import { formflag } from "../parts/commands.tsx";
import { TextField } from "../parts/field.tsx";
import { ButtonLink } from "../parts/link.tsx";
import { BY_AGE, FilterForm, List } from "../parts/list.tsx";
import type { Dashboard } from "../routes.ts";
import { PlainChangeCard } from "./change-card.tsx";

/** Changes on one page. */
const PAGE = 20;

type Filter = { who: string | undefined; before: number | undefined };

/** The history of a form, also after it was deleted. */
export function formHistoryRoutes({ app, get }: Dashboard) {
  get(`${FORM}/history`, "forms:read", async (c, parameters) => {
    const filter = filterOf(c);
    const query = { ...filter, limit: PAGE };
    const { form, page } = await listFormChanges(app, c.get("caller"), parameters.form, query);
    return historyPage(parameters.form, form !== null, filter, page);
  });
}

/** The filter in the query of a page. Throws `invalid`. */
function filterOf(c: DashboardContext): Filter {
  const before = c.req.query("before")?.trim() || undefined;
  if (before !== undefined && !/^\d{1,15}$/.test(before))
    throw new AppError("invalid", "a revision is a number");
  return {
    who: c.req.query("who")?.trim() || undefined,
    before: before === undefined ? undefined : Number(before),
  };
}

function historyPage(
  name: string,
  isThere: boolean,
  { who, before }: Filter,
  { items, more }: { items: Change[]; more: boolean },
): Page {
  const { form, p } = namedShort(name);
  const to = `${formPath(name)}/history`;
  return {
    title: `History of the form ${name}`,
    heading: "History",
    section: "forms",
    topics: ["setup"],
    back: isThere ? { to: formPath(name), label: name } : { to: "/forms", label: "Forms" },
    commands: [{ label: "Lists the same", text: formflag("forms history", form!, { p, who, before }) }],
    content: (
      <>
        {isThere && <FormTabs form={{ project: p ?? DEFAULT_PROJECT, slug: form! }} current="History" />}
        <List
          filters={
            <FilterForm to={to} label="Filter">
              <TextField name="who" label="Who" type="search" value={who ?? ""} />
            </FilterForm>
          }
          empty={
            <Empty title={who === undefined ? "Nothing has changed yet" : "No change matches"}>
              {who !== undefined && <ButtonLink to={to}>Show every change</ButtonLink>}
            </Empty>
          }
          rows={items}
          keyOf={({ revision }) => `revision-${revision}`}
          card={(change) => <PlainChangeCard change={change} />}
          pages={{
            to,
            query: { who },
            isLater: before !== undefined,
            next: more && { before: items.at(-1)!.revision },
            words: BY_AGE,
          }}
        />
      </>
    ),
  };
}
