import type { Store } from "../../app.ts";
import { findTarget, listTargets } from "./targets.ts";
import type { Runner } from "./writes.ts";

/** The slices of what is sent elsewhere. */
export function deliverySlices({ read }: Runner): Pick<Store, "targets"> {
  return {
    targets: {
      list: (formKey) => read(() => listTargets(formKey)),
      find: (id) => read(() => findTarget(id)),
    },
  };
}
