import { A } from "../parts/link.tsx";

/** The pages of the section "Access". */
export function AccessTabs({ current }: { current: "users" | "tokens" }) {
  return (
    <nav class="tabs" aria-label="Access">
      <A to="/access/users" current={current === "users" ? "page" : undefined}>
        Users
      </A>
      <A to="/access/tokens" current={current === "tokens" ? "page" : undefined}>
        Tokens
      </A>
    </nav>
  );
}
