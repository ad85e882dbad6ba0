import type { Migration } from './migration.ts'

/**
 * Albums are sorted by title; the job `index-texts` makes what older ones are sorted by. A share outlives its album, so that its
 * address is answered as one that has ended: without the foreign key, for which SQLite needs the table anew.
 */
export const albumTitles: Migration = {
  name: 'site/016-album-titles',
  takesOlderRows: true,
  sqlite: `
    alter table "album" add column "titleSort" text not null default '';
    create index "album_by_titleSort" on "album" ("titleSort", "id");
    drop index "album_without_words";
    create index "album_without_titleSort" on "album" ("id") where "titleSort" = '';
    create table "shareAnew" (
      "id" text not null, "tokenHash" text not null, "sealedToken" text not null, "userId" text not null,
      "albumId" text, "fileId" text, "name" text not null, "passwordHash" text,
      "allowDownload" integer not null check ("allowDownload" in (0, 1)),
      "allowUpload" integer not null check ("allowUpload" in (0, 1)), "maxViews" integer,
      "views" integer not null, "maxUploads" integer, "uploads" integer not null,
      "createdAt" text not null, "expiresAt" text, "revokedAt" text, primary key ("id"),
      unique ("tokenHash"), check (("albumId" is null) <> ("fileId" is null)),
      foreign key ("userId") references "user" ("id") on delete cascade,
      foreign key ("fileId") references "file" ("id") on delete cascade
    ) without rowid;
    insert into "shareAnew" select
      "id", "tokenHash", "sealedToken", "userId", "albumId", "fileId", "name", "passwordHash", "allowDownload", "allowUpload",
      "maxViews", "views", "maxUploads", "uploads", "createdAt", "expiresAt", "revokedAt" from "share";
    drop table "share";
    alter table "shareAnew" rename to "share";
    create index "share_by_userId_createdAt" on "share" ("userId", "createdAt", "id");
    create index "share_by_albumId" on "share" ("albumId") where "albumId" is not null;
    create index "share_by_fileId" on "share" ("fileId") where "fileId" is not null;
  `,
  postgres: `
    alter table "album" add column "titleSort" text collate "C" not null default '';
    create index "album_by_titleSort" on "album" ("site", "titleSort", "id");
    drop index "album_without_words";
    create index "album_without_titleSort" on "album" ("site", "id") where "titleSort" = '';
    alter table "share" drop constraint "share_site_albumId_fkey";
  `,
}
