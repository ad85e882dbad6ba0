import type { Migration } from './migration.ts'

/** Reserved names of removed files, and wrong album passwords. */
export const reservedNamesAndWrongPasswords: Migration = {
  name: 'site/003-freed-names-and-tries',
  sqlite: `
    create table "freedName" (
      "folder" text not null, "nameKey" text not null, "until" text not null,
      primary key ("folder", "nameKey")
    ) without rowid;
    create index "freedName_by_until" on "freedName" ("until");
    create table "passwordTry" (
      "id" text not null, "address" text not null, "at" text not null, primary key ("id")
    ) without rowid;
    create index "passwordTry_by_address_at" on "passwordTry" ("address", "at");
    create index "passwordTry_by_at" on "passwordTry" ("at");
  `,
  postgres: `
    create table "freedName" (
      "site" integer not null, "folder" text collate "C" not null, "nameKey" text collate "C" not null,
      "until" text collate "C" not null, primary key ("site", "folder", "nameKey")
    );
    create index "freedName_by_until" on "freedName" ("site", "until");
    create table "passwordTry" (
      "site" integer not null, "id" text collate "C" not null, "address" text collate "C" not null,
      "at" text collate "C" not null, primary key ("site", "id")
    );
    create index "passwordTry_by_address_at" on "passwordTry" ("site", "address", "at");
    create index "passwordTry_by_at" on "passwordTry" ("site", "at");
  `,
}
