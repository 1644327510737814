/** A small change to a copy of the product, and the test that has to find it. */
export type PlantedFault = {
  name: string;
  file: string;
  from: string;
  to: string;
  test: "program" | "world" | "statements";
};

/** Faults that nobody notices in one request: what is promised is broken once something else goes wrong. */
export const PLANTED_FAULTS: PlantedFault[] = [
  {
    name: "the version is not checked before a plan is applied",
    file: "src/store/sql/apply.ts",
    from: "if ((yield* currentVersion()) !== version) return false;",
    to: "yield* currentVersion();",
    test: "world",
  },
  {
    name: "leases are not renewed",
    file: "src/delivery/outbox.ts",
    from: "renewed: isRenewing ? claims.ids() : [],",
    to: "renewed: [],",
    test: "world",
  },
  {
    name: "a result is recorded by whoever has one",
    file: "src/store/sql/attempts.ts",
    from: "WHERE id = $id AND holder = $holder AND status = ${QUEUED}`,",
    to: "WHERE id = $id AND $holder IS NOT NULL`,",
    test: "world",
  },
  {
    name: "results that could not be recorded are forgotten",
    file: "src/delivery/outbox.ts",
    from: "claims.settle(...settled);",
    to: "",
    test: "world",
  },
  {
    name: "a claim takes what others have leased",
    file: "src/store/sql/outbox.ts",
    from: "CASE WHEN d.holder IS NULL THEN CAST($now AS BIGINT) ELSE CAST($databaseNow AS BIGINT) END",
    to: "CAST($now AS BIGINT) + CAST($databaseNow AS BIGINT)",
    test: "world",
  },
  {
    name: "the note of files is not written",
    file: "src/forms/submissions.ts",
    from: "await app.notes.add(id, keys.length, row.createdAt + STORING_MS);",
    to: "",
    test: "world",
  },
  {
    name: "files of an unknown outcome are taken back",
    file: "src/forms/submissions.ts",
    from: "if (!isUndecided(error)) await takeBack()",
    to: "await takeBack()",
    test: "world",
  },
  {
    name: "a look from before a change is trusted",
    file: "src/base/watch-shared.ts",
    from: "began.changes >= start.changes",
    to: "began.changes >= 0",
    test: "world",
  },
  {
    name: "a look is trusted for two seconds",
    file: "src/base/watch-shared.ts",
    from: "const { staleness } = store;",
    to: "const staleness = 2000;",
    test: "world",
  },
  {
    name: "a scheduled change stays after it was made",
    file: "src/flags/schedule/schedule.ts",
    from: "return { changes: [put, done], result: null };",
    to: "return { changes: [put], result: null };",
    test: "program",
  },
  {
    name: "the lock of an environment holds nobody up",
    file: "src/projects/locks.ts",
    from: "if (locked.length > 0) throw lockError",
    to: "if (locked.length > 1000) throw lockError",
    test: "program",
  },
  {
    name: "the expected revision is not compared",
    file: "src/flags/history.ts",
    from: "if (expected === null || current === expected) return;",
    to: "if (expected === null || current !== expected) return;",
    test: "program",
  },
  {
    name: "a promotion forgets whether segments are there",
    file: "src/flags/fit.ts",
    from: "if (missing.length === 0) continue;",
    to: "continue;",
    test: "program",
  },
  {
    name: "a segment is deleted that a rule refers to",
    file: "src/flags/segments.ts",
    from: "if (users.length > 0) throw segmentInUse(name, users);",
    to: "",
    test: "program",
  },
  {
    name: "what a person filed as spam is delivered again",
    file: "src/store/sql/submissions/marks.ts",
    from: 'state: STATES.indexOf(mark), spam: mark === "spam" ? MANUAL_SPAM : null',
    to: 'state: STATES.indexOf(mark), spam: mark === "spam" ? "word" : null',
    test: "program",
  },
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
    name: "a sign-in does not lock its user",
    file: "src/store/sql/sessions.ts",
    from: "password = CAST($password AS TEXT))\n     ${FOR_UPDATE}`",
    to: "password = CAST($password AS TEXT))`",
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
];
