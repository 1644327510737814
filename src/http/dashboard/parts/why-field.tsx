import { MAX_WHY } from "../../../access/why.ts";
import { TextField } from "./field.tsx";

/** Why somebody makes a change. `id` tells several on a page apart. */
export function WhyField({ value, id }: { value?: string | null | undefined; id?: string | undefined }) {
  return (
    <TextField name="why" id={id} label="Why" hint="Kept in the history." value={value} maxlength={MAX_WHY} />
  );
}
