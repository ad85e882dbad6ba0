import type { Migration } from './migration.ts'

/** Finds the administrators of a site with many users: with every sync their addresses are copied to the control row. */
export const adminAddresses: Migration = {
  name: 'site/039-admin-addresses',
  takesOlderRows: true,
  sqlite: `
    create index "user_admins_by_emailKey" on "user" ("emailKey") where "role" = 'admin';
  `,
  postgres: `
    create index "user_admins_by_emailKey" on "user" ("site", "emailKey") where "role" = 'admin';
  `,
}
