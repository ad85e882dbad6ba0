import type { Migration } from './migration.ts'

/** Addresses that caches must forget, until they are in the control database. */
export const purges: Migration = {
  name: 'site/045-purges',
  takesOlderRows: true,
  sqlite: `
    create table "purge" (
      "id" text primary key, "at" text not null, "hostname" text not null, "scope" text not null,
      "paths" text not null, "fileIds" text not null
    ) without rowid;
    create index "purge_by_at" on "purge" ("at");
  `,
  postgres: `
    create table "purge" (
      "site" integer not null, "id" text collate "C" not null, "at" text collate "C" not null,
      "hostname" text collate "C" not null, "scope" text collate "C" not null, "paths" text collate "C" not null,
      "fileIds" text collate "C" not null, primary key ("site", "id")
    );
    create index "purge_by_at" on "purge" ("site", "at");
  `,
}
