import type { Migration } from './migration.ts'

/** Orders the reports of a site: an older report never replaces a newer one. */
export const statsVersion: Migration = {
  name: 'control/003-stats-version',
  sqlite: `alter table "site" add column "statsVersion" integer not null default 0;`,
  postgres: `alter table "site" add column "statsVersion" bigint not null default 0;`,
}
