import type { Migration } from './migration.ts'

/**
 * The e-mail addresses of a site's administrators, by which operators find the tenant. Deleting the mark makes the
 * reconciliation look at every site once more, which fills the column.
 */
export const adminAddresses: Migration = {
  name: 'control/015-admin-addresses',
  takesOlderRows: true,
  sqlite: `
    alter table "site" add column "admins" text;
    delete from "meta" where "name" = 'settled-up-to';
  `,
  postgres: `
    alter table "site" add column "admins" text collate "C";
    delete from "meta" where "name" = 'settled-up-to';
  `,
}
