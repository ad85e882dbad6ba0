import type { Migration } from './migration.ts'

/** Says which generation of a site's place may write its rows. No table of the rooms: the stores alone look at it. */
export const gate: Migration = {
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
