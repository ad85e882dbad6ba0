import type { Migration } from './migration.ts'

/** Answers that are kept for an Idempotency-Key of a management call. */
export const keptAnswers: Migration = {
  name: 'control/004-kept-answers',
  takesOlderRows: true,
  sqlite: `
    create table "keptAnswer" (
      "caller" text not null, "key" text not null, "requestHash" text not null, "answer" text not null,
      "expiresAt" text not null, primary key ("caller", "key")
    ) without rowid;
    create index "keptAnswer_by_expiresAt" on "keptAnswer" ("expiresAt");
  `,
  postgres: `
    create table "keptAnswer" (
      "caller" text collate "C" not null, "key" text collate "C" not null, "requestHash" text collate "C" not null,
      "answer" text collate "C" not null, "expiresAt" text collate "C" not null, primary key ("caller", "key")
    );
    create index "keptAnswer_by_expiresAt" on "keptAnswer" ("expiresAt");
  `,
}
