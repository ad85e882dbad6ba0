import type { Migration } from './migration.ts'

/** Version, cover and order of albums; shares; the version of a file's signed addresses. */
export const albumsAndShares: Migration = {
  name: 'site/010-albums-and-shares',
  takesOlderRows: true,
  sqlite: `
    alter table "album" add column "version" integer not null default 1;
    alter table "album" add column "coverFileId" text;
    alter table "album" add column "sort" text not null default 'position';
    alter table "file" add column "addressVersion" integer not null default 1;
    create index "album_by_createdAt" on "album" ("createdAt", "id");
    create table "share" (
      "id" text not null, "tokenHash" text not null, "sealedToken" text not null, "userId" text not null,
      "albumId" text, "fileId" text, "name" text not null, "passwordHash" text,
      "allowDownload" integer not null check ("allowDownload" in (0, 1)),
      "allowUpload" integer not null check ("allowUpload" in (0, 1)), "maxViews" integer,
      "views" integer not null, "maxUploads" integer, "uploads" integer not null,
      "createdAt" text not null, "expiresAt" text, "revokedAt" text, primary key ("id"),
      unique ("tokenHash"), check (("albumId" is null) <> ("fileId" is null)),
      foreign key ("userId") references "user" ("id") on delete cascade,
      foreign key ("albumId") references "album" ("id") on delete cascade,
      foreign key ("fileId") references "file" ("id") on delete cascade
    ) without rowid;
    create index "share_by_userId_createdAt" on "share" ("userId", "createdAt", "id");
    create index "share_by_albumId" on "share" ("albumId") where "albumId" is not null;
    create index "share_by_fileId" on "share" ("fileId") where "fileId" is not null;
  `,
  postgres: `
    alter table "album" add column "version" integer not null default 1;
    alter table "album" add column "coverFileId" text collate "C";
    alter table "album" add column "sort" text collate "C" not null default 'position';
    alter table "file" add column "addressVersion" integer not null default 1;
    create index "album_by_createdAt" on "album" ("site", "createdAt", "id");
    create table "share" (
      "site" integer not null, "id" text collate "C" not null, "tokenHash" text collate "C" not null,
      "sealedToken" text collate "C" not null, "userId" text collate "C" not null,
      "albumId" text collate "C", "fileId" text collate "C", "name" text collate "C" not null,
      "passwordHash" text collate "C", "allowDownload" smallint not null check ("allowDownload" in (0, 1)),
      "allowUpload" smallint not null check ("allowUpload" in (0, 1)), "maxViews" bigint,
      "views" bigint not null, "maxUploads" bigint, "uploads" bigint not null,
      "createdAt" text collate "C" not null, "expiresAt" text collate "C", "revokedAt" text collate "C",
      primary key ("site", "id"), unique ("site", "tokenHash"),
      check (("albumId" is null) <> ("fileId" is null)),
      foreign key ("site", "userId") references "user" ("site", "id") on delete cascade,
      foreign key ("site", "albumId") references "album" ("site", "id") on delete cascade,
      foreign key ("site", "fileId") references "file" ("site", "id") on delete cascade
    );
    create index "share_by_userId_createdAt" on "share" ("site", "userId", "createdAt", "id");
    create index "share_by_albumId" on "share" ("site", "albumId") where "albumId" is not null;
    create index "share_by_fileId" on "share" ("site", "fileId") where "fileId" is not null;
  `,
}
