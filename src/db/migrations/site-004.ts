import type { Migration } from './migration.ts'

/** The write fence: the generation of the site's location that may write its rows. Only the stores read it, so it is not in `siteTables`. */
export const writeFence: Migration = {
  name: 'site/004-gate',
  sqlite: `
    create table "gate" (
      "id" integer not null check ("id" = 1), "generation" integer not null, primary key ("id")
    ) without rowid;
    insert into "gate" values (1, 0);
  `,
  postgres: `
    create table "gate" (
      "site" integer not null, "id" integer not null check ("id" = 1), "generation" integer not null,
      primary key ("site", "id")
    );
    insert into "gate" select distinct "site", 1, 0 from "total";
  `,
}
