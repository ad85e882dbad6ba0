import type { Migration } from './migration.ts'

/** Which process changes which site. The servers before have left no such rows, so all sites are reconciled once more. */
export const changeRecords: Migration = {
  name: 'control/006-change-records',
  takesOlderRows: true,
  sqlite: `
    create table "changeRecord" (
      "server" integer not null, "site" integer not null references "site" ("number") on delete cascade,
      primary key ("server", "site")
    );
    create index "changeRecord_of_site" on "changeRecord" ("site");
  `,
  postgres: `
    create table "changeRecord" (
      "server" integer not null, "site" integer not null references "site" ("number") on delete cascade,
      primary key ("server", "site")
    );
    create index "changeRecord_of_site" on "changeRecord" ("site");
    delete from "meta" where "name" = 'settled-up-to';
  `,
}
