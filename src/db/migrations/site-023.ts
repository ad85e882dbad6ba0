import type { Migration } from './migration.ts'

/**
 * The trash of a user in the order of deletion, without a look at the trash of others, and the reports whose address is
 * to be deleted.
 */
export const trashAndReporters: Migration = {
  name: 'site/023-trash-and-reporters',
  takesOlderRows: true,
  sqlite: `
    create index "file_by_userId_deletedAt" on "file" ("userId", "deletedAt", "id") where "deletedAt" is not null;
    create index "fileReport_with_address" on "fileReport" ("createdAt") where "address" <> '';
  `,
  postgres: `
    create index "file_by_userId_deletedAt" on "file" ("site", "userId", "deletedAt", "id") where "deletedAt" is not null;
    create index "fileReport_with_address" on "fileReport" ("site", "createdAt") where "address" <> '';
  `,
}
