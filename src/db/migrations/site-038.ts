import type { Migration } from './migration.ts'

/** Which thresholds of its quotas the administrators of a site were told of, and since when a quota is used up. */
export const quotaStates: Migration = {
  name: 'site/038-quota-states',
  takesOlderRows: true,
  sqlite: `
    create table "quotaState" (
      "name" text not null, "month" text not null, "percent" integer not null, "value" integer not null,
      "reachedAt" text, "overAt" text, "mails" text not null, primary key ("name", "month")
    ) without rowid;
  `,
  postgres: `
    create table "quotaState" (
      "site" integer not null, "name" text collate "C" not null, "month" text collate "C" not null,
      "percent" integer not null, "value" bigint not null, "reachedAt" text collate "C",
      "overAt" text collate "C", "mails" text collate "C" not null, primary key ("site", "name", "month")
    );
  `,
}
