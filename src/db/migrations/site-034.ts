import type { Migration } from './migration.ts'

/**
 * Shares of several files, which have neither an album nor a file in their row: without the rule that one of the two is there, for
 * which SQLite needs the table anew.
 */
export const sharesOfFiles: Migration = {
  name: 'site/034-shares-of-files',
  takesOlderRows: true,
  sqlite: `
    create table "shareAnew" (
      "id" text not null, "tokenHash" text not null, "sealedToken" text not null, "userId" text not null,
      "albumId" text, "fileId" text, "name" text not null, "passwordHash" text,
      "allowDownload" integer not null check ("allowDownload" in (0, 1)),
      "allowUpload" integer not null check ("allowUpload" in (0, 1)), "maxViews" integer,
      "views" integer not null, "maxUploads" integer, "uploads" integer not null,
      "createdAt" text not null, "expiresAt" text, "revokedAt" text,
      "message" text not null default '', "asksName" integer not null default 0, primary key ("id"),
      unique ("tokenHash"), check ("albumId" is null or "fileId" is null),
      foreign key ("userId") references "user" ("id") on delete cascade,
      foreign key ("fileId") references "file" ("id") on delete cascade
    ) without rowid;
    insert into "shareAnew" select
      "id", "tokenHash", "sealedToken", "userId", "albumId", "fileId", "name", "passwordHash", "allowDownload", "allowUpload",
      "maxViews", "views", "maxUploads", "uploads", "createdAt", "expiresAt", "revokedAt", "message", "asksName" from "share";
    drop table "share";
    alter table "shareAnew" rename to "share";
    create index "share_by_userId_createdAt" on "share" ("userId", "createdAt", "id");
    create index "share_by_albumId" on "share" ("albumId") where "albumId" is not null;
    create index "share_by_fileId" on "share" ("fileId") where "fileId" is not null;
    create table "shareFile" (
      "shareId" text not null, "fileId" text not null, "position" integer not null,
      primary key ("shareId", "fileId"),
      foreign key ("shareId") references "share" ("id") on delete cascade,
      foreign key ("fileId") references "file" ("id") on delete cascade
    ) without rowid;
    create index "shareFile_by_fileId" on "shareFile" ("fileId");
  `,
  postgres: `
    alter table "share" drop constraint "share_check";
    alter table "share" add constraint "share_check" check ("albumId" is null or "fileId" is null);
    create table "shareFile" (
      "site" integer not null, "shareId" text collate "C" not null, "fileId" text collate "C" not null,
      "position" bigint not null,
      primary key ("site", "shareId", "fileId"),
      foreign key ("site", "shareId") references "share" ("site", "id") on delete cascade,
      foreign key ("site", "fileId") references "file" ("site", "id") on delete cascade
    );
    create index "shareFile_by_fileId" on "shareFile" ("site", "fileId");
  `,
}
