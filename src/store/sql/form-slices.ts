import type { Store } from "../../app.ts";
import { findForm, findFormByKey, formRecords, pageForms } from "./forms.ts";
import type { Runner } from "./writes.ts";

/** The slices of forms. */
export function formSlices({ read }: Runner): Pick<Store, "forms"> {
  return {
    forms: {
      list: () => read(formRecords),
      page: (query) => read(() => pageForms(query)),
      find: (slugOrKey) => read(() => findForm(slugOrKey)),
      findByKey: (key) => read(() => findFormByKey(key)),
    },
  };
}
