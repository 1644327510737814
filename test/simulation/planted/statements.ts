import type { PlantedFault } from "./fault.ts";

/** Faults that only an order of statements shows. */
export const STATEMENT_FAULTS: PlantedFault[] = [
  {
    name: "the form of a submission with conditions is not locked",
    file: "src/store/sql/submissions/intake.ts",
    from: "WHERE key = $formKey ${FOR_UPDATE}`",
    to: "WHERE key = $formKey`",
    test: "statements",
  },
  {
    name: "changes of the setup do not wait for each other",
    file: "src/store/postgres/run.ts",
    from: "WHERE id = 1 FOR UPDATE",
    to: "WHERE id = 1",
    test: "statements",
  },
  {
    name: "a sign-in adds to the audit log without its lock",
    file: "src/store/sql/sessions.ts",
    from: "  yield* lockAudit();\n  // The lock lets a change of the password",
    to: "  // The lock lets a change of the password",
    test: "statements",
  },
  {
    name: "a mark does not lock its submissions",
    file: "src/store/sql/submissions/submissions.ts",
    from: "ORDER BY s.id ${FOR_UPDATE_OF_S}`",
    to: "ORDER BY s.id`",
    test: "statements",
  },
  {
    name: "the note of files is not locked before they are stored",
    file: "src/store/postgres/submission-batch.ts",
    from: "WHERE upload_notes.swept = 0 FOR UPDATE OF upload_notes",
    to: "WHERE upload_notes.swept = 0",
    test: "statements",
  },
  {
    name: "an empty form is deleted beside a submission on its way",
    file: "src/store/sql/forms.ts",
    from: "WHERE key = $key ${SKIP_LOCKED}`, { key }",
    to: "WHERE key = $key`, { key }",
    test: "statements",
  },
  {
    name: "a segment begins to be filled beside submissions that leave the spam folder or are deleted",
    file: "src/store/sql/memberships/members.ts",
    from: "ORDER BY id ${FOR_KEY_SHARE}`",
    to: "ORDER BY id`",
    test: "statements",
  },
];
