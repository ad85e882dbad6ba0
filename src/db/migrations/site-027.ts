import type { Migration } from './migration.ts'

/**
 * When the owner of an e-mail address has confirmed it, and the address that waits for that. Earlier versions did not
 * record it: their users keep all keys, because their addresses count as confirmed from the start.
 */
export const confirmedAddresses: Migration = {
  name: 'site/027-confirmed-addresses',
  upgradeRow: ({ table, row }) => ({
    table,
    row: table === 'user' ? { ...row, emailConfirmedAt: row.createdAt ?? null } : row,
  }),
  sqlite: `
    alter table "user" add column "emailConfirmedAt" text;
    alter table "user" add column "pendingEmail" text;
    update "user" set "emailConfirmedAt" = "createdAt";
  `,
  postgres: `
    alter table "user" add column "emailConfirmedAt" text collate "C";
    alter table "user" add column "pendingEmail" text collate "C";
    update "user" set "emailConfirmedAt" = "createdAt";
  `,
}
