import type { Migration } from './migration.ts'

/** Logo and icon of a site; lists by views and likes. */
export const brandPictures: Migration = {
  name: 'site/017-brand-and-lists',
  takesOlderRows: true,
  sqlite: `
    create table "brandPicture" (
      "slot" text not null, "id" text not null, "extension" text not null, "mime" text not null,
      "width" integer not null, "height" integer not null, "sizeBytes" integer not null,
      "sha256" text not null, "createdAt" text not null, primary key ("slot")
    ) without rowid;
    create index "file_by_views" on "file" ("views", "id");
    create index "file_by_likes" on "file" ("likes", "id");
  `,
  postgres: `
    create table "brandPicture" (
      "site" integer not null, "slot" text collate "C" not null, "id" text collate "C" not null,
      "extension" text collate "C" not null, "mime" text collate "C" not null,
      "width" integer not null, "height" integer not null, "sizeBytes" bigint not null,
      "sha256" text collate "C" not null, "createdAt" text collate "C" not null,
      primary key ("site", "slot")
    );
    create index "file_by_views" on "file" ("site", "views", "id");
    create index "file_by_likes" on "file" ("site", "likes", "id");
  `,
}
