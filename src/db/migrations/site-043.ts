import type { Migration } from './migration.ts'

/** The keys of the last rotation, sealed, until the site's location record has them. */
export const signingKeys: Migration = {
  name: 'site/043-signing-keys',
  takesOlderRows: true,
  sqlite: `
    create table "signingKey" ("number" integer primary key, "sealedKeys" text not null);
  `,
  postgres: `
    create table "signingKey" (
      "site" integer not null, "number" integer not null, "sealedKeys" text collate "C" not null,
      primary key ("site", "number")
    );
  `,
}
