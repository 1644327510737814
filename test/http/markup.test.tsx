import { expect, test } from "bun:test";
import { type Child, keptMarkup, raw } from "../../src/http/dashboard/markup.ts";

const EVIL = `<script>"&'`;
const SAFE = "&lt;script&gt;&quot;&amp;&#39;";

test("text is escaped as content, as an attribute and as what a component returns", () => {
  const Said = ({ text }: { text: string }) => text;
  const page = (
    <p title={EVIL}>
      {EVIL}
      {[EVIL, [EVIL]]}
      <Said text={EVIL} />
    </p>
  );
  expect(String(page)).toBe(`<p title="${SAFE}">${SAFE.repeat(4)}</p>`);
});

test("null, undefined and booleans are no content, and 0 is", () => {
  const none: Child[] = [null, undefined, false, true, ""];
  expect(String(<p>{none}</p>)).toBe("<p></p>");
  expect(String(<p>{0}</p>)).toBe("<p>0</p>");
});

test("an attribute is left out for null and undefined, and a switch for false", () => {
  const none = <input name={undefined} value={null as never} disabled={false} />;
  expect(String(none)).toBe("<input/>");
  const some = <input value={0} checked aria-expanded={false} data-changed="" />;
  expect(String(some)).toBe('<input value="0" checked="" aria-expanded="false" data-changed=""/>');
});

test("a component gets its content, and may return several elements or none", () => {
  const Twice = ({ children }: { children?: Child }) => (
    <>
      <b>{children}</b>
      <i>{children}</i>
    </>
  );
  const None = () => null;
  const page = (
    <p>
      <Twice>a &amp; b</Twice>
      <None />
    </p>
  );
  expect(String(page)).toBe("<p><b>a &amp; b</b><i>a &amp; b</i></p>");
});

test("an element that is empty has an end, unless HTML gives it none", () => {
  expect(String(<script src="/a.js"></script>)).toBe('<script src="/a.js"></script>');
  expect(String(<br />)).toBe("<br/>");
});

test("markup is rendered once for a key, and the oldest are dropped", () => {
  const keep = keptMarkup(2);
  let count = 0;
  const make = () => <b>{++count}</b>;
  const page = (key: string) => String(<p>{keep(key, make)}</p>);
  expect([page("a"), page("a"), page("b"), page("c"), page("a")]).toEqual(
    [1, 1, 2, 3, 4].map((each) => `<p><b>${each}</b></p>`),
  );
});

test("raw markup stays as it is", () => {
  expect(String(<svg>{raw('<path d="M0 0"/>')}</svg>)).toBe('<svg><path d="M0 0"/></svg>');
});
