import type { Migration } from './migration.ts'

/** The tables of the first version. */
export const firstTables: Migration = {
  name: 'site/001-tables',
  sqlite: `
      create table "user" (
        "id" text not null, "username" text not null, "usernameKey" text not null, "email" text not null,
        "emailKey" text not null, "passwordHash" text not null,
        "role" text not null check ("role" in ('admin', 'manager', 'user')),
        "isBanned" integer not null check ("isBanned" in (0, 1)), "createdAt" text not null,
        "updatedAt" text not null, primary key ("id"), unique ("usernameKey"), unique ("emailKey")
      ) without rowid;
      create table "userKey" (
        "id" text not null, "userId" text not null, "name" text not null, "secretHash" text not null,
        "createdAt" text not null, "expiresAt" text, primary key ("id"), unique ("userId", "name"),
        foreign key ("userId") references "user" ("id") on delete cascade
      ) without rowid;
      create table "session" (
        "tokenHash" text not null, "userId" text not null, "createdAt" text not null,
        "expiresAt" text not null, primary key ("tokenHash"),
        foreign key ("userId") references "user" ("id") on delete cascade
      ) without rowid;
      create index "session_by_userId" on "session" ("userId");
      create index "session_by_expiresAt" on "session" ("expiresAt");
      create table "album" (
        "id" text not null, "userId" text not null, "parentId" text, "title" text not null,
        "description" text,
        "privacy" text not null check ("privacy" in ('public', 'link', 'password', 'private')),
        "passwordHash" text, "views" integer not null, "likes" integer not null, "createdAt" text not null,
        "updatedAt" text not null, primary key ("id"), foreign key ("userId") references "user" ("id"),
        foreign key ("parentId") references "album" ("id")
      ) without rowid;
      create index "album_by_userId_createdAt" on "album" ("userId", "createdAt");
      create index "album_by_parentId" on "album" ("parentId");
      create table "category" (
        "id" integer not null, "name" text not null, "urlKey" text not null, "description" text,
        primary key ("id"), unique ("urlKey")
      ) without rowid;
      create table "storage" (
        "id" text not null, "name" text not null, "url" text not null,
        "isActive" integer not null check ("isActive" in (0, 1)), "capacityBytes" integer,
        "createdAt" text not null, primary key ("id"), unique ("name")
      ) without rowid;
      create table "file" (
        "id" text not null, "userId" text, "albumId" text, "categoryId" integer, "storageId" text,
        "kind" text not null, "type" text not null check ("type" in ('image', 'video')),
        "folder" text not null, "name" text not null, "nameKey" text not null, "extension" text not null,
        "originalName" text not null, "sizeBytes" integer not null, "storedBytes" integer not null,
        "width" integer not null, "height" integer not null, "durationSeconds" integer not null,
        "variants" text not null, "md5" text not null, "sourceMd5" text not null, "title" text,
        "description" text, "exif" text, "isNsfw" integer not null check ("isNsfw" in (0, 1)),
        "isAnimated" integer not null check ("isAnimated" in (0, 1)),
        "isApproved" integer not null check ("isApproved" in (0, 1)),
        "is360" integer not null check ("is360" in (0, 1)), "views" integer not null,
        "likes" integer not null, "deleteHash" text not null, "uploaderAddress" text not null,
        "date" text not null, "createdAt" text not null, "expiresAt" text, primary key ("id"),
        unique ("folder", "nameKey"), foreign key ("userId") references "user" ("id"),
        foreign key ("albumId") references "album" ("id"),
        foreign key ("categoryId") references "category" ("id"),
        foreign key ("storageId") references "storage" ("id")
      );
      create index "file_by_userId_createdAt" on "file" ("userId", "createdAt");
      create index "file_by_albumId_createdAt" on "file" ("albumId", "createdAt");
      create index "file_by_categoryId" on "file" ("categoryId");
      create index "file_by_storageId" on "file" ("storageId");
      create index "file_by_createdAt" on "file" ("createdAt");
      create index "file_by_expiresAt" on "file" ("expiresAt") where "expiresAt" is not null;
      create index "file_by_sourceMd5" on "file" ("sourceMd5");
      create table "tag" (
        "name" text not null, "createdAt" text not null, primary key ("name")
      ) without rowid;
      create table "fileTag" (
        "fileId" text not null, "tagName" text not null, primary key ("fileId", "tagName"),
        foreign key ("fileId") references "file" ("id") on delete cascade,
        foreign key ("tagName") references "tag" ("name") on delete cascade
      ) without rowid;
      create index "fileTag_by_tagName" on "fileTag" ("tagName");
      create table "fileLike" (
        "fileId" text not null, "userId" text not null, "createdAt" text not null,
        primary key ("fileId", "userId"), foreign key ("fileId") references "file" ("id") on delete cascade,
        foreign key ("userId") references "user" ("id") on delete cascade
      ) without rowid;
      create index "fileLike_by_userId" on "fileLike" ("userId");
      create table "albumLike" (
        "albumId" text not null, "userId" text not null, "createdAt" text not null,
        primary key ("albumId", "userId"),
        foreign key ("albumId") references "album" ("id") on delete cascade,
        foreign key ("userId") references "user" ("id") on delete cascade
      ) without rowid;
      create index "albumLike_by_userId" on "albumLike" ("userId");
      create table "page" (
        "id" text not null, "urlKey" text not null, "title" text not null, "body" text not null,
        "isVisible" integer not null check ("isVisible" in (0, 1)), "sortOrder" integer not null,
        "createdAt" text not null, "updatedAt" text not null, primary key ("id"), unique ("urlKey")
      );
      create table "loginProvider" (
        "name" text not null, "isEnabled" integer not null check ("isEnabled" in (0, 1)),
        "clientId" text not null, "clientSecret" text not null, primary key ("name")
      ) without rowid;
      create table "setting" (
        "name" text not null, "value" text not null, primary key ("name")
      ) without rowid;
      create table "removal" (
        "id" text not null, "storageId" text, "path" text not null, "requestedAt" text not null,
        primary key ("id")
      ) without rowid;
      create index "removal_by_requestedAt" on "removal" ("requestedAt");
      create table "uploadMark" (
        "id" text not null, "address" text not null, "at" text not null, primary key ("id")
      ) without rowid;
      create index "uploadMark_by_address_at" on "uploadMark" ("address", "at");
      create table "total" (
        "name" text not null, "value" integer not null, primary key ("name")
      ) without rowid;
    `,
  postgres: `
      create table "user" (
        "site" integer not null, "id" text collate "C" not null, "username" text collate "C" not null,
        "usernameKey" text collate "C" not null, "email" text collate "C" not null,
        "emailKey" text collate "C" not null, "passwordHash" text collate "C" not null,
        "role" text collate "C" not null check ("role" in ('admin', 'manager', 'user')),
        "isBanned" smallint not null check ("isBanned" in (0, 1)), "createdAt" text collate "C" not null,
        "updatedAt" text collate "C" not null, primary key ("site", "id"), unique ("site", "usernameKey"),
        unique ("site", "emailKey")
      );
      create table "userKey" (
        "site" integer not null, "id" text collate "C" not null, "userId" text collate "C" not null,
        "name" text collate "C" not null, "secretHash" text collate "C" not null,
        "createdAt" text collate "C" not null, "expiresAt" text collate "C", primary key ("site", "id"),
        unique ("site", "userId", "name"),
        foreign key ("site", "userId") references "user" ("site", "id") on delete cascade
      );
      create table "session" (
        "site" integer not null, "tokenHash" text collate "C" not null, "userId" text collate "C" not null,
        "createdAt" text collate "C" not null, "expiresAt" text collate "C" not null,
        primary key ("site", "tokenHash"),
        foreign key ("site", "userId") references "user" ("site", "id") on delete cascade
      );
      create index "session_by_userId" on "session" ("site", "userId");
      create index "session_by_expiresAt" on "session" ("site", "expiresAt");
      create table "album" (
        "site" integer not null, "id" text collate "C" not null, "userId" text collate "C" not null,
        "parentId" text collate "C", "title" text collate "C" not null, "description" text collate "C",
        "privacy" text collate "C" not null check ("privacy" in ('public', 'link', 'password', 'private')),
        "passwordHash" text collate "C", "views" bigint not null, "likes" bigint not null,
        "createdAt" text collate "C" not null, "updatedAt" text collate "C" not null,
        primary key ("site", "id"), foreign key ("site", "userId") references "user" ("site", "id"),
        foreign key ("site", "parentId") references "album" ("site", "id")
      );
      create index "album_by_userId_createdAt" on "album" ("site", "userId", "createdAt");
      create index "album_by_parentId" on "album" ("site", "parentId");
      create table "category" (
        "site" integer not null, "id" integer not null, "name" text collate "C" not null,
        "urlKey" text collate "C" not null, "description" text collate "C", primary key ("site", "id"),
        unique ("site", "urlKey")
      );
      create table "storage" (
        "site" integer not null, "id" text collate "C" not null, "name" text collate "C" not null,
        "url" text collate "C" not null, "isActive" smallint not null check ("isActive" in (0, 1)),
        "capacityBytes" bigint, "createdAt" text collate "C" not null, primary key ("site", "id"),
        unique ("site", "name")
      );
      create table "file" (
        "site" integer not null, "id" text collate "C" not null, "userId" text collate "C",
        "albumId" text collate "C", "categoryId" integer, "storageId" text collate "C",
        "kind" text collate "C" not null,
        "type" text collate "C" not null check ("type" in ('image', 'video')),
        "folder" text collate "C" not null, "name" text collate "C" not null,
        "nameKey" text collate "C" not null, "extension" text collate "C" not null,
        "originalName" text collate "C" not null, "sizeBytes" bigint not null,
        "storedBytes" bigint not null, "width" integer not null, "height" integer not null,
        "durationSeconds" integer not null, "variants" text collate "C" not null,
        "md5" text collate "C" not null, "sourceMd5" text collate "C" not null, "title" text collate "C",
        "description" text collate "C", "exif" text collate "C",
        "isNsfw" smallint not null check ("isNsfw" in (0, 1)),
        "isAnimated" smallint not null check ("isAnimated" in (0, 1)),
        "isApproved" smallint not null check ("isApproved" in (0, 1)),
        "is360" smallint not null check ("is360" in (0, 1)), "views" bigint not null,
        "likes" bigint not null, "deleteHash" text collate "C" not null,
        "uploaderAddress" text collate "C" not null, "date" text collate "C" not null,
        "createdAt" text collate "C" not null, "expiresAt" text collate "C", primary key ("site", "id"),
        unique ("site", "folder", "nameKey"),
        foreign key ("site", "userId") references "user" ("site", "id"),
        foreign key ("site", "albumId") references "album" ("site", "id"),
        foreign key ("site", "categoryId") references "category" ("site", "id"),
        foreign key ("site", "storageId") references "storage" ("site", "id")
      );
      create index "file_by_userId_createdAt" on "file" ("site", "userId", "createdAt");
      create index "file_by_albumId_createdAt" on "file" ("site", "albumId", "createdAt");
      create index "file_by_categoryId" on "file" ("site", "categoryId");
      create index "file_by_storageId" on "file" ("site", "storageId");
      create index "file_by_createdAt" on "file" ("site", "createdAt");
      create index "file_by_expiresAt" on "file" ("site", "expiresAt") where "expiresAt" is not null;
      create index "file_by_sourceMd5" on "file" ("site", "sourceMd5");
      create table "tag" (
        "site" integer not null, "name" text collate "C" not null, "createdAt" text collate "C" not null,
        primary key ("site", "name")
      );
      create table "fileTag" (
        "site" integer not null, "fileId" text collate "C" not null, "tagName" text collate "C" not null,
        primary key ("site", "fileId", "tagName"),
        foreign key ("site", "fileId") references "file" ("site", "id") on delete cascade,
        foreign key ("site", "tagName") references "tag" ("site", "name") on delete cascade
      );
      create index "fileTag_by_tagName" on "fileTag" ("site", "tagName");
      create table "fileLike" (
        "site" integer not null, "fileId" text collate "C" not null, "userId" text collate "C" not null,
        "createdAt" text collate "C" not null, primary key ("site", "fileId", "userId"),
        foreign key ("site", "fileId") references "file" ("site", "id") on delete cascade,
        foreign key ("site", "userId") references "user" ("site", "id") on delete cascade
      );
      create index "fileLike_by_userId" on "fileLike" ("site", "userId");
      create table "albumLike" (
        "site" integer not null, "albumId" text collate "C" not null, "userId" text collate "C" not null,
        "createdAt" text collate "C" not null, primary key ("site", "albumId", "userId"),
        foreign key ("site", "albumId") references "album" ("site", "id") on delete cascade,
        foreign key ("site", "userId") references "user" ("site", "id") on delete cascade
      );
      create index "albumLike_by_userId" on "albumLike" ("site", "userId");
      create table "page" (
        "site" integer not null, "id" text collate "C" not null, "urlKey" text collate "C" not null,
        "title" text collate "C" not null, "body" text collate "C" not null,
        "isVisible" smallint not null check ("isVisible" in (0, 1)), "sortOrder" integer not null,
        "createdAt" text collate "C" not null, "updatedAt" text collate "C" not null,
        primary key ("site", "id"), unique ("site", "urlKey")
      );
      create table "loginProvider" (
        "site" integer not null, "name" text collate "C" not null,
        "isEnabled" smallint not null check ("isEnabled" in (0, 1)), "clientId" text collate "C" not null,
        "clientSecret" text collate "C" not null, primary key ("site", "name")
      );
      create table "setting" (
        "site" integer not null, "name" text collate "C" not null, "value" text collate "C" not null,
        primary key ("site", "name")
      );
      create table "removal" (
        "site" integer not null, "id" text collate "C" not null, "storageId" text collate "C",
        "path" text collate "C" not null, "requestedAt" text collate "C" not null,
        primary key ("site", "id")
      );
      create index "removal_by_requestedAt" on "removal" ("site", "requestedAt");
      create table "uploadMark" (
        "site" integer not null, "id" text collate "C" not null, "address" text collate "C" not null,
        "at" text collate "C" not null, primary key ("site", "id")
      );
      create index "uploadMark_by_address_at" on "uploadMark" ("site", "address", "at");
      create table "total" (
        "site" integer not null, "name" text collate "C" not null, "value" bigint not null,
        primary key ("site", "name")
      );
    `,
}
