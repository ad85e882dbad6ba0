import type { Migration } from './migration.ts'

/** Named sets of options for derived pictures. */
export const presets: Migration = {
  name: 'site/042-presets',
  takesOlderRows: true,
  sqlite: `
    create table "preset" (
      "name" text primary key, "options" text not null, "createdAt" text not null, "updatedAt" text not null,
      "version" integer not null
    ) without rowid;
  `,
  postgres: `
    create table "preset" (
      "site" integer not null, "name" text collate "C" not null, "options" text collate "C" not null,
      "createdAt" text collate "C" not null, "updatedAt" text collate "C" not null, "version" bigint not null,
      primary key ("site", "name")
    );
  `,
}
