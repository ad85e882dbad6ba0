import type { Migration } from './migration.ts'

/**
 * Numbers that each writing transaction raises, by which servers notice that rows of a site have changed. Only the store reads them, so the
 * table is not in `siteTables`. SQLite counts changes of a file itself.
 */
export const rowVersions: Migration = {
  name: 'site/046-row-versions',
  takesOlderRows: true,
  sqlite: '',
  postgres: `
    create table "rowVersion" (
      "site" integer not null, "slot" integer not null, "value" bigint not null, primary key ("site", "slot")
    ) with (fillfactor = 50);
    insert into "rowVersion" select distinct "site", 0, 1 from "total";
  `,
}
