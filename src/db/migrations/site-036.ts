import type { Migration } from './migration.ts'

/**
 * Totals of each day for each user, and more of them for the site. For the days before this step they are computed from the
 * rows that are there: deleted files are missing in them, and traffic is counted from now on.
 */
export const userDayTotals: Migration = {
  name: 'site/036-user-day-totals',
  takesOlderRows: true,
  sqlite: `
    create table "userDayTotal" (
      "userId" text not null, "day" text not null, "name" text not null, "value" integer not null,
      primary key ("userId", "day", "name"),
      foreign key ("userId") references "user" ("id") on delete cascade
    ) without rowid;
    create index "userDayTotal_by_day" on "userDayTotal" ("day");
    insert into "dayTotal" select substr("createdAt", 1, 10), 'uploadBytes', sum("sizeBytes") from "file" group by 1;
    insert into "dayTotal" select substr("createdAt", 1, 10), 'files', count(*) from "file" where "deletedAt" is null group by 1;
    insert into "userDayTotal"
      select "userId", substr("createdAt", 1, 10), 'uploads', count(*) from "file" where "userId" is not null group by 1, 2;
    insert into "userDayTotal"
      select "userId", substr("createdAt", 1, 10), 'uploadBytes', sum("sizeBytes") from "file" where "userId" is not null group by 1, 2;
    insert into "userDayTotal"
      select "userId", substr("createdAt", 1, 10), 'storageUsed', sum("storedBytes") from "file" where "userId" is not null group by 1, 2;
    insert into "userDayTotal"
      select "userId", substr("createdAt", 1, 10), 'files', count(*) from "file"
      where "userId" is not null and "deletedAt" is null group by 1, 2;
  `,
  postgres: `
    create table "userDayTotal" (
      "site" integer not null, "userId" text collate "C" not null, "day" text collate "C" not null,
      "name" text collate "C" not null, "value" bigint not null,
      primary key ("site", "userId", "day", "name"),
      foreign key ("site", "userId") references "user" ("site", "id") on delete cascade
    );
    create index "userDayTotal_by_day" on "userDayTotal" ("site", "day");
    insert into "dayTotal" select "site", substr("createdAt", 1, 10), 'uploadBytes', sum("sizeBytes") from "file" group by 1, 2;
    insert into "dayTotal"
      select "site", substr("createdAt", 1, 10), 'files', count(*) from "file" where "deletedAt" is null group by 1, 2;
    insert into "userDayTotal"
      select "site", "userId", substr("createdAt", 1, 10), 'uploads', count(*) from "file" where "userId" is not null group by 1, 2, 3;
    insert into "userDayTotal"
      select "site", "userId", substr("createdAt", 1, 10), 'uploadBytes', sum("sizeBytes") from "file"
      where "userId" is not null group by 1, 2, 3;
    insert into "userDayTotal"
      select "site", "userId", substr("createdAt", 1, 10), 'storageUsed', sum("storedBytes") from "file"
      where "userId" is not null group by 1, 2, 3;
    insert into "userDayTotal"
      select "site", "userId", substr("createdAt", 1, 10), 'files', count(*) from "file"
      where "userId" is not null and "deletedAt" is null group by 1, 2, 3;
  `,
}
