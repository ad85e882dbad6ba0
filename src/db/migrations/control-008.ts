import type { Migration } from './migration.ts'

/**
 * What was counted on each day of each site, copied from the sites, so that the usage of all tenants is read at once. Every
 * site is compared with its copy again, which fills the table.
 */
export const siteDays: Migration = {
  name: 'control/008-site-days',
  takesOlderRows: true,
  sqlite: `
    create table "siteDay" (
      "site" integer not null references "site" ("number") on delete cascade, "day" text not null,
      "counts" text not null, primary key ("site", "day")
    ) without rowid;
    delete from "meta" where "name" = 'settled-up-to';
  `,
  postgres: `
    create table "siteDay" (
      "site" integer not null references "site" ("number") on delete cascade, "day" text collate "C" not null,
      "counts" text not null, primary key ("site", "day")
    );
    delete from "meta" where "name" = 'settled-up-to';
  `,
}
