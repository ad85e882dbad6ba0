import type { Migration } from './migration.ts'

/** Files that wait for approval, the newest first: without it each count of them, on every overview, reads all files. */
export const pendingFiles: Migration = {
  name: 'site/024-pending-files',
  takesOlderRows: true,
  sqlite: `
    create index "file_pending" on "file" ("createdAt", "id") where "isApproved" = 0;
  `,
  postgres: `
    create index "file_pending" on "file" ("site", "createdAt", "id") where "isApproved" = 0;
  `,
}
