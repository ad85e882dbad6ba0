import type { CopiedRow, Migration } from './migration.ts'

/**
 * Version, revision, trash and order of files. `titleSort`, `nameSort` and the words for the search follow from texts by rules
 * that SQL does not have: rows with the `textVersion` 0 get them from the job `index-texts`. The position is computed by
 * immutable functions, which the cast of a text to a time is not: Citus updates distributed rows by no others.
 */
export const filesInOrder: Migration = {
  name: 'site/008-files-in-order',
  upgradeRow: withOrder,
  sqlite: `
    alter table "file" add column "version" integer not null default 1;
    alter table "file" add column "revision" integer not null default 1;
    alter table "file" add column "updatedAt" text not null default '';
    alter table "file" add column "deletedAt" text;
    alter table "file" add column "position" text not null default '';
    alter table "file" add column "placeholder" text;
    alter table "file" add column "titleSort" text not null default '';
    alter table "file" add column "nameSort" text not null default '';
    alter table "file" add column "textVersion" integer not null default 0;
    update "file" set "updatedAt" = "createdAt",
      "position" = printf('%015d', 900000000000000 - cast(round((julianday("createdAt") - 2440587.5) * 86400000) as integer));
    drop index "file_by_createdAt";
    drop index "file_by_userId_createdAt";
    drop index "file_by_albumId_createdAt";
    create index "file_by_createdAt" on "file" ("createdAt", "id");
    create index "file_by_date" on "file" ("date", "id");
    create index "file_by_userId_createdAt" on "file" ("userId", "createdAt", "id");
    create index "file_by_albumId_createdAt" on "file" ("albumId", "createdAt", "id");
    create index "file_by_albumId_position" on "file" ("albumId", "position", "id");
    create index "file_by_deletedAt" on "file" ("deletedAt", "id") where "deletedAt" is not null;
    create index "file_without_texts" on "file" ("id") where "textVersion" = 0;
  `,
  postgres: `
    alter table "file" add column "version" integer not null default 1;
    alter table "file" add column "revision" integer not null default 1;
    alter table "file" add column "updatedAt" text collate "C" not null default '';
    alter table "file" add column "deletedAt" text collate "C";
    alter table "file" add column "position" text collate "C" not null default '';
    alter table "file" add column "placeholder" text collate "C";
    alter table "file" add column "titleSort" text collate "C" not null default '';
    alter table "file" add column "nameSort" text collate "C" not null default '';
    alter table "file" add column "textVersion" integer not null default 0;
    update "file" set "updatedAt" = "createdAt",
      "position" = lpad((900000000000000 - round(extract(epoch from make_timestamp(
        substr("createdAt", 1, 4)::int, substr("createdAt", 6, 2)::int, substr("createdAt", 9, 2)::int,
        substr("createdAt", 12, 2)::int, substr("createdAt", 15, 2)::int, substr("createdAt", 18, 6)::float8
      )) * 1000)::bigint)::text, 15, '0');
    drop index "file_by_createdAt";
    drop index "file_by_userId_createdAt";
    drop index "file_by_albumId_createdAt";
    create index "file_by_createdAt" on "file" ("site", "createdAt", "id");
    create index "file_by_date" on "file" ("site", "date", "id");
    create index "file_by_userId_createdAt" on "file" ("site", "userId", "createdAt", "id");
    create index "file_by_albumId_createdAt" on "file" ("site", "albumId", "createdAt", "id");
    create index "file_by_albumId_position" on "file" ("site", "albumId", "position", "id");
    create index "file_by_deletedAt" on "file" ("site", "deletedAt", "id") where "deletedAt" is not null;
    create index "file_without_texts" on "file" ("site", "id") where "textVersion" = 0;
  `,
}

function withOrder({ table, row }: CopiedRow): CopiedRow {
  if (table !== 'file') return { table, row }
  const createdAt = String(row.createdAt)
  return { table, row: { ...row, updatedAt: createdAt, position: newestFirst(new Date(createdAt)) } }
}

/** As the step above writes it. */
const newestFirst = (at: Date) => String(900_000_000_000_000 - at.getTime()).padStart(15, '0')
