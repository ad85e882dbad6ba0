import type { Migration } from './migration.ts'

const indexes = `
    create index "controlAudit_by_actor" on "controlAudit" ("actor", "sequence");
    create index "controlAudit_by_actor_id" on "controlAudit" ("actorId", "sequence");
    create index "controlAudit_by_actor_name" on "controlAudit" (lower("actorName"), "sequence");
  `

/** A filter by actor reads a page of rows, however long the log is. */
export const controlAuditActors: Migration = {
  name: 'control/014-audit-actors',
  takesOlderRows: true,
  sqlite: indexes,
  postgres: indexes,
}
