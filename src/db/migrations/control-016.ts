import type { Migration } from './migration.ts'

/** Addresses that caches must forget, of all sites, until `SERVICE_PURGE_URL` has taken them. */
export const purges: Migration = {
  name: 'control/016-purges',
  takesOlderRows: true,
  sqlite: `
    create table "waitingPurge" (
      "id" text primary key, "tenantId" text not null, "at" text not null, "hostname" text not null,
      "paths" text not null, "fileIds" text not null, "nextAt" text not null, "attempts" integer not null,
      "triedAt" text, "fault" text
    ) without rowid;
    create index "waitingPurge_by_nextAt" on "waitingPurge" ("nextAt", "tenantId");
  `,
  postgres: `
    create table "waitingPurge" (
      "id" text collate "C" primary key, "tenantId" text collate "C" not null, "at" text collate "C" not null,
      "hostname" text collate "C" not null, "paths" text collate "C" not null, "fileIds" text collate "C" not null,
      "nextAt" text collate "C" not null, "attempts" integer not null, "triedAt" text collate "C", "fault" text
    );
    create index "waitingPurge_by_nextAt" on "waitingPurge" ("nextAt", "tenantId");
  `,
}
