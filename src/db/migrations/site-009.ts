import type { Migration } from './migration.ts'

/** Bytes that were replaced: their earlier revisions stay for as long as the trash keeps files. */
export const fileRevisions: Migration = {
  name: 'site/009-file-revisions',
  takesOlderRows: true,
  sqlite: `
    alter table "file" add column "keyRevision" integer not null default 1;
    alter table "file" add column "lastKeyRevision" integer not null default 1;
    alter table "file" add column "replacedAt" text;
    create table "fileRevision" (
      "fileId" text not null, "revision" integer not null, "keyRevision" integer not null,
      "folder" text not null, "extension" text not null, "kind" text not null,
      "sizeBytes" integer not null, "storedBytes" integer not null, "width" integer not null,
      "height" integer not null, "durationSeconds" integer not null, "variants" text not null,
      "md5" text not null, "sourceMd5" text not null, "exif" text,
      "isAnimated" integer not null check ("isAnimated" in (0, 1)),
      "is360" integer not null check ("is360" in (0, 1)), "placeholder" text,
      "createdAt" text not null, "replacedAt" text not null, primary key ("fileId", "revision"),
      foreign key ("fileId") references "file" ("id") on delete cascade
    ) without rowid;
    create index "fileRevision_by_replacedAt" on "fileRevision" ("replacedAt");
  `,
  postgres: `
    alter table "file" add column "keyRevision" integer not null default 1;
    alter table "file" add column "lastKeyRevision" integer not null default 1;
    alter table "file" add column "replacedAt" text collate "C";
    create table "fileRevision" (
      "site" integer not null, "fileId" text collate "C" not null, "revision" integer not null,
      "keyRevision" integer not null, "folder" text collate "C" not null, "extension" text collate "C" not null,
      "kind" text collate "C" not null, "sizeBytes" bigint not null, "storedBytes" bigint not null,
      "width" integer not null, "height" integer not null, "durationSeconds" integer not null,
      "variants" text collate "C" not null, "md5" text collate "C" not null, "sourceMd5" text collate "C" not null,
      "exif" text collate "C", "isAnimated" smallint not null check ("isAnimated" in (0, 1)),
      "is360" smallint not null check ("is360" in (0, 1)), "placeholder" text collate "C",
      "createdAt" text collate "C" not null, "replacedAt" text collate "C" not null,
      primary key ("site", "fileId", "revision"),
      foreign key ("site", "fileId") references "file" ("site", "id") on delete cascade
    );
    create index "fileRevision_by_replacedAt" on "fileRevision" ("site", "replacedAt");
  `,
}
