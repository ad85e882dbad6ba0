import type { Migration } from './migration.ts'

/**
 * Totals of each day. For the days before this step they are computed from the rows that are there: deleted files are
 * missing in them, and views have no day, so these are counted from today on.
 */
export const dayTotals: Migration = {
  name: 'site/019-day-totals',
  takesOlderRows: true,
  sqlite: `
    create table "dayTotal" (
      "day" text not null, "name" text not null, "value" integer not null, primary key ("day", "name")
    ) without rowid;
    insert into "dayTotal" select substr("createdAt", 1, 10), 'uploads', count(*) from "file" group by 1;
    insert into "dayTotal" select substr("createdAt", 1, 10), 'storageUsed', sum("storedBytes") from "file" group by 1;
    insert into "dayTotal" select substr("createdAt", 1, 10), 'users', count(*) from "user" group by 1;
    insert into "dayTotal" select strftime('%Y-%m-%d', 'now'), 'views', 0 from "total" where "name" = 'files';
  `,
  postgres: `
    create table "dayTotal" (
      "site" integer not null, "day" text collate "C" not null, "name" text collate "C" not null,
      "value" bigint not null, primary key ("site", "day", "name")
    );
    insert into "dayTotal" select "site", substr("createdAt", 1, 10), 'uploads', count(*) from "file" group by 1, 2;
    insert into "dayTotal"
      select "site", substr("createdAt", 1, 10), 'storageUsed', sum("storedBytes") from "file" group by 1, 2;
    insert into "dayTotal" select "site", substr("createdAt", 1, 10), 'users', count(*) from "user" group by 1, 2;
    insert into "dayTotal"
      select "site", to_char(now() at time zone 'UTC', 'YYYY-MM-DD'), 'views', 0 from "total" where "name" = 'files';
  `,
}
