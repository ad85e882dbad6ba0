import type { Migration } from './migration.ts'

/**
 * What each user owns, counted by the transactions that change it, and who will own the bytes of an open upload. What shares are
 * collecting at that moment is reserved for the site alone; an open upload ends within a day.
 */
export const userTotals: Migration = {
  name: 'site/037-user-totals',
  takesOlderRows: true,
  sqlite: `
    create table "userTotal" (
      "userId" text not null, "files" integer not null, "storageUsed" integer not null, primary key ("userId"),
      foreign key ("userId") references "user" ("id") on delete cascade
    ) without rowid;
    insert into "userTotal"
      select "userId", sum("files"), sum("bytes") from (
        select "userId", case when "deletedAt" is null then 1 else 0 end as "files", "storedBytes" as "bytes" from "file"
        union all
        select "file"."userId", 0, "fileRevision"."storedBytes"
        from "fileRevision" join "file" on "file"."id" = "fileRevision"."fileId"
      ) where "userId" is not null group by 1;
    alter table "resumableUpload" add column "ownerId" text;
    update "resumableUpload" set "ownerId" = "userId";
  `,
  postgres: `
    create table "userTotal" (
      "site" integer not null, "userId" text collate "C" not null, "files" bigint not null,
      "storageUsed" bigint not null, primary key ("site", "userId"),
      foreign key ("site", "userId") references "user" ("site", "id") on delete cascade
    );
    insert into "userTotal"
      select "site", "userId", sum("files"), sum("bytes") from (
        select "site", "userId", case when "deletedAt" is null then 1 else 0 end as "files", "storedBytes" as "bytes"
        from "file"
        union all
        select "file"."site", "file"."userId", 0, "fileRevision"."storedBytes" from "fileRevision"
        join "file" on "file"."site" = "fileRevision"."site" and "file"."id" = "fileRevision"."fileId"
      ) as "owned" where "userId" is not null group by 1, 2;
    alter table "resumableUpload" add column "ownerId" text collate "C";
    update "resumableUpload" set "ownerId" = "userId";
  `,
}
