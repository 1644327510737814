import type { PropsWithChildren } from "../markup.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { Icon } from "./icon.tsx";
import { visible } from "./text.tsx";

export type Tone = "neutral" | "good" | "bad" | "warn" | "info";

/** A short state, such as `spam` or `failed`. Its text means the same as its colour. */
export function Badge({ tone = "neutral", children }: PropsWithChildren<{ tone?: Tone }>) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** The name of an environment with its colour, and a lock if it is locked. */
export function EnvironmentName({
  environment: { slug, color, locked },
}: {
  environment: { slug: string; color?: string | null | undefined; locked?: boolean };
}) {
  return (
    <span class={`env ${color ?? "gray"}`}>
      {slug}
      {locked && (
        <>
          <Icon name="lock" kind="tiny lock" />
          <span class="unseen">, locked</span>
        </>
      )}
    </span>
  );
}

/** A message to the reader of the page. */
export function Notice({
  tone = "info",
  title,
  children,
}: PropsWithChildren<{ tone?: Tone; title?: string }>) {
  return (
    <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : undefined}>
      <Icon name={tone === "good" ? "check" : tone === "info" || tone === "neutral" ? "info" : "alert"} />
      <div>
        {title && <strong>{title}</strong>}
        {children}
      </div>
    </div>
  );
}

/** The error of what was sent, if there is one. */
export function Fault({ message, hint }: { message?: string | null | undefined; hint?: string | null }) {
  if (!message) return null;
  return (
    <Notice tone="bad">
      <p>{sentence(visible(message))}</p>
      {hint && <p>{sentence(visible(hint))}</p>}
    </Notice>
  );
}
