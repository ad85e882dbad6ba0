import type { Migration } from './migration.ts'

/** Exports that the management API was asked for. The archives are in the storage of the installation for a day. */
export const tenantExports: Migration = {
  name: 'control/010-tenant-exports',
  takesOlderRows: true,
  sqlite: `
    create table "tenantExport" (
      "id" text primary key, "tenantId" text not null, "site" integer not null,
      "state" text not null check ("state" in ('waiting', 'running', 'done', 'failed')),
      "sealedPassphrase" text, "bytes" integer, "error" text, "tries" integer not null,
      "leasedBy" text, "leasedUntil" text,
      "createdAt" text not null, "finishedAt" text, "expiresAt" text
    ) without rowid;
  `,
  postgres: `
    create table "tenantExport" (
      "id" text collate "C" primary key, "tenantId" text collate "C" not null, "site" integer not null,
      "state" text collate "C" not null check ("state" in ('waiting', 'running', 'done', 'failed')),
      "sealedPassphrase" text, "bytes" bigint, "error" text, "tries" integer not null,
      "leasedBy" text collate "C", "leasedUntil" text collate "C",
      "createdAt" text collate "C" not null, "finishedAt" text collate "C", "expiresAt" text collate "C"
    );
  `,
}
