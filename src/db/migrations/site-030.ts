import type { Migration } from './migration.ts'

/** The signature of the audit log's head, by a key that is not in the database; empty until the first change after this step. */
export const signedAuditHead: Migration = {
  name: 'site/030-signed-audit-head',
  takesOlderRows: true,
  sqlite: `
    alter table "auditHead" add column "mac" text not null default '';
  `,
  postgres: `
    alter table "auditHead" add column "mac" text collate "C" not null default '';
  `,
}
