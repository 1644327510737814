import type { PropsWithChildren } from "hono/jsx";
import { addressOf, useView } from "../view.ts";

/** A form that sends a file. */
export function FileForm({ to, id, children }: PropsWithChildren<{ to: string; id: string }>) {
  return (
    <form
      method="post"
      action={addressOf(useView(), to)}
      encType="multipart/form-data"
      class="stack narrow"
      id={id}
    >
      {children}
    </form>
  );
}
