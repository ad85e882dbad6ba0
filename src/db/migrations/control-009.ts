import type { Migration } from './migration.ts'

/** The states of a site's quotas, copied from the site, so that a request knows without a query whether it is refused. */
export const siteQuotas: Migration = {
  name: 'control/009-site-quotas',
  takesOlderRows: true,
  sqlite: `
    alter table "site" add column "quotas" text;
  `,
  postgres: `
    alter table "site" add column "quotas" text;
  `,
}
