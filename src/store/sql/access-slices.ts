import type { Store } from "../../app.ts";
import type { Runner } from "./writes.ts";

/** The slices of who may do what. */
export function accessSlices({ write }: Runner): Pick<Store, "secrets"> {
  return {
    secrets: {
      keep: (name, candidate) => write("keepSecret", [name, candidate]),
    },
  };
}
