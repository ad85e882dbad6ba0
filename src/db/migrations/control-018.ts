import type { Migration } from './migration.ts'

/**
 * Sites with files that have no placeholder have work to do since this version. Deleting the mark makes the reconciliation look at every
 * site once more, which finds when its jobs are due.
 */
export const duePlaceholders: Migration = {
  name: 'control/018-due-placeholders',
  takesOlderRows: true,
  sqlite: `
    delete from "meta" where "name" = 'settled-up-to';
  `,
  postgres: `
    delete from "meta" where "name" = 'settled-up-to';
  `,
}
