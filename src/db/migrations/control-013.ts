import type { Migration } from './migration.ts'

/** Long work that operators ask for: moves, backups, their verification, runs of the doctor. */
export const work: Migration = {
  name: 'control/013-work',
  takesOlderRows: true,
  sqlite: `
    create table "work" (
      "id" text primary key,
      "kind" text not null check ("kind" in ('move', 'backup', 'verify', 'health')),
      "target" text not null,
      "state" text not null check ("state" in ('waiting', 'running', 'done', 'failed', 'cancelled')),
      "done" integer not null, "total" integer, "unit" text, "rate" real,
      "author" text not null, "cancelledBy" text,
      "tries" integer not null, "losses" integer not null, "leasedBy" text, "leasedUntil" text,
      "result" text, "error" text,
      "createdAt" text not null, "startedAt" text, "finishedAt" text
    ) without rowid;
    create index "work_by_kind_createdAt" on "work" ("kind", "createdAt");
    create index "work_unfinished" on "work" ("createdAt") where "finishedAt" is null;
  `,
  postgres: `
    create table "work" (
      "id" text collate "C" primary key,
      "kind" text collate "C" not null check ("kind" in ('move', 'backup', 'verify', 'health')),
      "target" text collate "C" not null,
      "state" text collate "C" not null
        check ("state" in ('waiting', 'running', 'done', 'failed', 'cancelled')),
      "done" bigint not null, "total" bigint, "unit" text collate "C", "rate" double precision,
      "author" text not null, "cancelledBy" text,
      "tries" integer not null, "losses" integer not null,
      "leasedBy" text collate "C", "leasedUntil" text collate "C",
      "result" text, "error" text,
      "createdAt" text collate "C" not null, "startedAt" text collate "C", "finishedAt" text collate "C"
    );
    create index "work_by_kind_createdAt" on "work" ("kind", "createdAt");
    create index "work_unfinished" on "work" ("createdAt") where "finishedAt" is null;
  `,
}
