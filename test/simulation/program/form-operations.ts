import * as fc from "fast-check";
import type { FormPatch } from "../../../src/forms/form.ts";
import { createForm, deleteForm, setForm } from "../../../src/forms/forms.ts";
import { markSubmissions } from "../../../src/forms/inbox/submission-marks.ts";
import { purgeSubmissions } from "../../../src/forms/keeping/purge.ts";
import { deleteSubmission } from "../../../src/forms/keeping/submission-deletion.ts";
import { addTarget, deleteTarget, setTarget } from "../../../src/forms/targets.ts";
import { fakeOutgoing } from "../../support/peers/outgoing.ts";
import { type ModelSubmission, formOf, submissionAt, targetAt } from "./model.ts";
import type { Operation } from "./operation.ts";

const form = fc.constantFrom("contact", "contact", "contact", "orders");
/** Which of those that there are: mostly one of few, so that much happens to the same. */
const number = fc.oneof(fc.nat(2), fc.nat(30));
/** A submission that mentions it is spam. */
const SPAM_WORD = "casino";

const settings = fc.constantFrom<{ patch: FormPatch; options: string[] }>(
  { patch: { enabled: false }, options: ["disable"] },
  { patch: { enabled: true }, options: ["enable"] },
  { patch: { maxSubmissions: 3 }, options: ["set", "--max-submissions", "3"] },
  { patch: { maxSubmissions: null }, options: ["set", "--max-submissions", "none"] },
);

type DrawnMark = "back and forth" | "inbox" | "spam" | "archived" | "read" | "unread";

/** Back and forth is into the spam folder, or out of it. */
function markFor({ folder }: ModelSubmission, drawn: DrawnMark) {
  if (drawn !== "back and forth") return drawn;
  return folder === "spam" ? "inbox" : "spam";
}

export const createFormCalled = (slug: string): Operation => ({
  name: `create form ${slug}`,
  call: () => ({
    run: (app, by) => createForm(app, by, { slug, project: "shop", spamWords: [SPAM_WORD] }),
    request: ["POST", "/forms", { slug, project: "shop", spamWords: [SPAM_WORD] }],
    args: ["forms", "create", slug, "-p", "shop", "--spam-word", SPAM_WORD],
  }),
  expect(model) {
    if (!model.projects.has("shop")) return "not_found";
    if (model.forms.has(slug)) return "conflict";
    model.forms.set(slug, { enabled: true, most: null, targets: new Map(), submissions: [] });
    return "ok";
  },
});

export const addTargetTo = ({ form: slug, path }: { form: string; path: string }): Operation => ({
  name: `add target ${path} to ${slug}`,
  call: () => ({
    run: (app, by) => addTarget(app, by, slug, `https://8.8.8.8/${path}`, fakeOutgoing()),
    request: ["POST", `/forms/${slug}/targets`, { target: `https://8.8.8.8/${path}` }],
    args: ["targets", "add", slug, `https://8.8.8.8/${path}`],
  }),
  expect(model, answer) {
    const found = model.forms.get(slug);
    if (!found) return "not_found";
    found.targets.set((answer as { id: string }).id, true);
    return "ok";
  },
});

export const formOperations: fc.Arbitrary<Operation>[] = [
  form.map(createFormCalled),
  fc.record({ form, settings }).map(({ form: slug, settings: { patch, options } }) => ({
    name: `set form ${slug} ${JSON.stringify(patch)}`,
    call: () => ({
      run: (app, by) => setForm(app, by, slug, patch),
      request: ["PATCH", `/forms/${slug}`, patch],
      args: ["forms", options[0]!, slug, ...options.slice(1)],
    }),
    expect(model) {
      const found = model.forms.get(slug);
      if (!found) return "not_found";
      if (patch.enabled !== undefined) found.enabled = patch.enabled;
      if (patch.maxSubmissions !== undefined) found.most = patch.maxSubmissions;
      return "ok";
    },
  })),
  // Mostly one of them, so that the other comes to hold something.
  fc.constantFrom("contact", "orders", "orders", "orders", "orders").map((slug) => ({
    name: `delete form ${slug}`,
    call: () => ({
      run: (app, by) => deleteForm(app, by, slug),
      request: ["DELETE", `/forms/${slug}`],
      args: ["forms", "delete", slug],
      confirmed: true,
    }),
    expect: (model) => (model.forms.delete(slug) ? "ok" : "not_found"),
  })),
  ...[1, 2, 3].map(() =>
    fc
      .record({
        number,
        mark: fc.constantFrom<DrawnMark[]>(
          "back and forth",
          "back and forth",
          "inbox",
          "spam",
          "archived",
          "read",
          "unread",
        ),
      })
      .map(({ number: at, mark: drawn }): Operation => ({
        name: `mark ${at} ${drawn}`,
        call(model) {
          const submission = submissionAt(model, at);
          if (submission === undefined) return undefined;
          const { id } = submission;
          const mark = markFor(submission, drawn);
          return {
            run: (app, by) => markSubmissions(app, by, [id], mark),
            request: ["POST", "/submissions/mark", { ids: [id], mark }],
            args: ["submissions", "mark", id, mark],
          };
        },
        expect(model) {
          const submission = submissionAt(model, at)!;
          const mark = markFor(submission, drawn);
          if (mark === "read" || mark === "unread") {
            submission.read = mark === "read";
            return "ok";
          }
          const { targets } = formOf(model, submission);
          const hasLeft = submission.folder === "spam" && mark !== "spam";
          const enabled = [...targets].filter(([, isEnabled]) => isEnabled).map(([id]) => id);
          if (hasLeft && submission.isManual) {
            for (const each of submission.deliveries)
              if (each.status === "cancelled" && enabled.includes(each.target)) each.status = "queued";
          } else if (hasLeft) {
            for (const target of enabled)
              if (!submission.deliveries.some((each) => each.target === target))
                submission.deliveries.push({ target, status: "queued" });
          }
          if (mark !== submission.folder) submission.isManual = mark === "spam";
          submission.folder = mark;
          return "ok";
        },
      })),
  ),
  number.map((at) => ({
    name: `delete submission ${at}`,
    call(model) {
      const id = submissionAt(model, at)?.id;
      if (id === undefined) return undefined;
      return {
        run: (app, by) => deleteSubmission(app, by, id),
        request: ["DELETE", `/submissions/${id}`],
        args: ["submissions", "delete", id],
        confirmed: true,
      };
    },
    expect(model) {
      const submission = submissionAt(model, at)!;
      const { submissions } = formOf(model, submission);
      submissions.splice(submissions.indexOf(submission), 1);
      return "ok";
    },
  })),
  fc.constantFrom("Ada", "Ben").map((name) => ({
    name: `purge ${name}`,
    call: () => ({
      run: (app, by) => purgeSubmissions(app, by, { field: "name", value: name }),
      request: ["POST", "/submissions/purge", { field: "name", value: name }],
      args: ["submissions", "purge", "--field", `name=${name}`],
      confirmed: true,
    }),
    expect(model) {
      for (const each of model.forms.values())
        each.submissions = each.submissions.filter((submission) => submission.name !== name);
      return "ok";
    },
  })),
  fc.record({ form, path: fc.constantFrom("a", "b") }).map(addTargetTo),
  fc.record({ number, enabled: fc.boolean() }).map(({ number: at, enabled }) => ({
    name: `${enabled ? "enable" : "disable"} target ${at}`,
    call(model) {
      const id = targetAt(model, at)?.id;
      if (id === undefined) return undefined;
      return {
        run: (app, by) => setTarget(app, by, id, { enabled: enabled }, async () => fakeOutgoing()),
        request: ["PATCH", `/targets/${id}`, { enabled }],
        args: ["targets", enabled ? "enable" : "disable", id],
      };
    },
    expect(model) {
      const { form: found, id } = targetAt(model, at)!;
      found.targets.set(id, enabled);
      return "ok";
    },
  })),
  number.map((at) => ({
    name: `delete target ${at}`,
    call(model) {
      const id = targetAt(model, at)?.id;
      if (id === undefined) return undefined;
      return {
        run: (app, by) => deleteTarget(app, by, id),
        request: ["DELETE", `/targets/${id}`],
        args: ["targets", "delete", id],
        confirmed: true,
      };
    },
    expect(model) {
      const { form: found, id } = targetAt(model, at)!;
      found.targets.delete(id);
      return "ok";
    },
  })),
];

/** A submission, which nobody sends by a command. */
export const submissionOf = ({
  form: slug,
  name,
  text,
}: Record<"form" | "name" | "text", string>): Operation => ({
  name: `submit ${name} ${JSON.stringify(text)} to ${slug}`,
  call: () => undefined,
  perform: (way) => way.submit(slug, { name, text }),
  expect(model, answer) {
    const found = model.forms.get(slug);
    if (!found) return "not_found";
    if (!found.enabled) return "conflict";
    const isSpam = text.includes(SPAM_WORD);
    const taken = found.submissions.filter(({ folder }) => folder !== "spam").length;
    if (!isSpam && found.most !== null && taken >= found.most) return "conflict";
    const targets = isSpam ? [] : [...found.targets].filter(([, isEnabled]) => isEnabled);
    found.submissions.push({
      id: (answer as { id: string }).id,
      name,
      folder: isSpam ? "spam" : "inbox",
      read: false,
      isManual: false,
      deliveries: targets.map(([target]) => ({ target, status: "queued" })),
    });
    return "ok";
  },
});

export const submissions: fc.Arbitrary<Operation>[] = [1, 2, 3].map(() =>
  fc
    .record({
      form,
      name: fc.constantFrom("Ada", "Ben", "Cyd"),
      text: fc.constantFrom("hello", "hello", `the ${SPAM_WORD}`),
    })
    .map(submissionOf),
);
