import type { Migration } from './migration.ts'

/** What users say of themselves, and their pictures. These are a few kilobytes each, so the row has them. */
export const profiles: Migration = {
  name: 'site/033-profiles',
  takesOlderRows: true,
  sqlite: `
    create table "profile" (
      "userId" text not null, "about" text not null, "picture" text, "pictureMime" text, "pictureHash" text,
      primary key ("userId"),
      foreign key ("userId") references "user" ("id") on delete cascade
    ) without rowid;
  `,
  postgres: `
    create table "profile" (
      "site" integer not null, "userId" text collate "C" not null, "about" text collate "C" not null,
      "picture" text collate "C", "pictureMime" text collate "C", "pictureHash" text collate "C",
      primary key ("site", "userId"),
      foreign key ("site", "userId") references "user" ("site", "id") on delete cascade
    );
  `,
}
