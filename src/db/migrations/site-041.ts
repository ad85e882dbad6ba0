import type { Migration } from './migration.ts'

/** Pictures that were derived from stored ones on request; all of them can be made again. */
export const derivedPictures: Migration = {
  name: 'site/041-derived-pictures',
  takesOlderRows: true,
  sqlite: `
    create table "derived" (
      "id" text primary key, "fileId" text not null, "keyRevision" integer not null, "options" text not null,
      "extension" text not null, "mime" text not null, "sizeBytes" integer not null, "sha256" text not null,
      "createdAt" text not null, "usedAt" text not null, unique ("fileId", "keyRevision", "options")
    ) without rowid;
    create index "derived_by_usedAt" on "derived" ("usedAt", "sizeBytes");
    insert into "total" ("name", "value") select 'derivedBytes', 0 from "total" where "name" = 'files';
  `,
  postgres: `
    create table "derived" (
      "site" integer not null, "id" text collate "C" not null, "fileId" text collate "C" not null,
      "keyRevision" integer not null, "options" text collate "C" not null, "extension" text collate "C" not null,
      "mime" text collate "C" not null, "sizeBytes" bigint not null, "sha256" text collate "C" not null,
      "createdAt" text collate "C" not null, "usedAt" text collate "C" not null,
      primary key ("site", "id"), unique ("site", "fileId", "keyRevision", "options")
    );
    create index "derived_by_usedAt" on "derived" ("site", "usedAt", "sizeBytes");
    insert into "total" ("site", "name", "value")
      select "site", 'derivedBytes', 0 from "total" where "name" = 'files';
  `,
}
