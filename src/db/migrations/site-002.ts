import type { Migration } from './migration.ts'

/** The job runs of a site, and the fence that keeps out workers that have lost their lease. */
export const jobs: Migration = {
  name: 'site/002-jobs',
  sqlite: `
    create table "jobRun" (
      "name" text not null, "ranAt" text not null, "cursor" text, primary key ("name")
    ) without rowid;
    create table "jobFence" (
      "id" integer not null check ("id" = 1), "token" integer not null, primary key ("id")
    ) without rowid;
  `,
  postgres: `
    create table "jobRun" (
      "site" integer not null, "name" text collate "C" not null, "ranAt" text collate "C" not null,
      "cursor" text collate "C", primary key ("site", "name")
    );
    create table "jobFence" (
      "site" integer not null, "id" integer not null check ("id" = 1), "token" bigint not null,
      primary key ("site", "id")
    );
  `,
}
