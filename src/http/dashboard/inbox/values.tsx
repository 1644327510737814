import { isObject } from "../../../base/json.ts";
import { Foreign, ForeignValue, visible } from "../parts/text.tsx";

/** Characters of a value that a page shows. */
const MAX_SHOWN = 20_000;
/** Members of a list or an object that are shown a line each; larger ones are shown as JSON. */
const MAX_MEMBERS = 50;

/** The fields of a submission in the order in which they came. */
export function FieldValues({ data }: { data: Readonly<Record<string, unknown>> }) {
  const fields = Object.entries(data);
  if (fields.length === 0) return <p class="soft">It has no fields.</p>;
  return (
    <dl class="facts fields">
      {fields.map(([name, value]) => (
        <div>
          <dt>
            <Foreign text={name} />
          </dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A value of any type, as a person reads it. */
function Value({ value }: { value: unknown }) {
  if (isPlain(value)) return <PlainValue value={value} />;
  if (Array.isArray(value) && value.length <= MAX_MEMBERS && value.every(isPlain))
    return (
      <ul class="values">
        {value.map((each) => (
          <li>
            <PlainValue value={each} />
          </li>
        ))}
      </ul>
    );
  if (isObject(value) && Object.keys(value).length <= MAX_MEMBERS && Object.values(value).every(isPlain))
    return (
      <dl class="facts values">
        {Object.entries(value).map(([name, each]) => (
          <div>
            <dt>
              <Foreign text={name} />
            </dt>
            <dd>
              <PlainValue value={each as Plain} />
            </dd>
          </div>
        ))}
      </dl>
    );
  const json = JSON.stringify(value, null, 2);
  return (
    <>
      <pre tabindex={0}>{visible(json.slice(0, MAX_SHOWN))}</pre>
      <Rest length={json.length} />
    </>
  );
}

type Plain = string | number | boolean | null;

function isPlain(value: unknown): value is Plain {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function PlainValue({ value }: { value: Plain }) {
  if (value === "") return <span class="soft">empty</span>;
  if (typeof value !== "string") return <code>{String(value)}</code>;
  return (
    <>
      <ForeignValue text={value.length > MAX_SHOWN ? value.slice(0, MAX_SHOWN) : value} />
      <Rest length={value.length} />
    </>
  );
}

/** What a long value says in place of its end. */
function Rest({ length }: { length: number }) {
  if (length <= MAX_SHOWN) return null;
  return (
    <p class="soft small">{(length - MAX_SHOWN).toLocaleString("en")} more characters: open it as JSON.</p>
  );
}
