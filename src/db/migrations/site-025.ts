import type { Migration } from './migration.ts'

/** Who put a file into the trash and why, and which album or share a wrong password was for. */
export const removalsAndTargets: Migration = {
  name: 'site/025-removals-and-targets',
  takesOlderRows: true,
  sqlite: `
    alter table "file" add column "removedBy" text;
    alter table "file" add column "removalReason" text;
    alter table "passwordTry" add column "target" text not null default '';
    create index "passwordTry_by_target_at" on "passwordTry" ("target", "at");
  `,
  postgres: `
    alter table "file" add column "removedBy" text collate "C";
    alter table "file" add column "removalReason" text collate "C";
    alter table "passwordTry" add column "target" text collate "C" not null default '';
    create index "passwordTry_by_target_at" on "passwordTry" ("site", "target", "at");
  `,
}
