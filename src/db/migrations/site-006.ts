import type { Migration } from './migration.ts'

/** Damage, which was stored in `jobRun` under names that began with `damage:`, gets its own table; the rate limit's table is renamed. */
export const damageAndRateLimit: Migration = {
  name: 'site/006-damage-and-rate-limit',
  // Backups never contain `jobRun`.
  upgradeRow: ({ table, row }) => ({ table: table === 'uploadMark' ? 'rateLimitHit' : table, row }),
  sqlite: `
    create table "damage" (
      "fileId" text not null, "fault" text not null, "foundAt" text not null, primary key ("fileId")
    ) without rowid;
    insert into "damage" select substr("name", 8), coalesce("cursor", ''), "ranAt" from "jobRun" where "name" like 'damage:%';
    delete from "jobRun" where "name" like 'damage:%';
    update "jobRun" set "name" = 'prune-rate-limit-log' where "name" = 'prune-marks';
    alter table "uploadMark" rename to "rateLimitHit";
    drop index "uploadMark_by_address_at";
    create index "rateLimitHit_by_address_at" on "rateLimitHit" ("address", "at");
  `,
  postgres: `
    create table "damage" (
      "site" integer not null, "fileId" text collate "C" not null, "fault" text collate "C" not null,
      "foundAt" text collate "C" not null, primary key ("site", "fileId")
    );
    insert into "damage"
      select "site", substr("name", 8), coalesce("cursor", ''), "ranAt" from "jobRun" where "name" like 'damage:%';
    delete from "jobRun" where "name" like 'damage:%';
    update "jobRun" set "name" = 'prune-rate-limit-log' where "name" = 'prune-marks';
    alter table "uploadMark" rename to "rateLimitHit";
    alter index "uploadMark_pkey" rename to "rateLimitHit_pkey";
    alter index "uploadMark_by_address_at" rename to "rateLimitHit_by_address_at";
  `,
}
