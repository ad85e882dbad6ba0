import type { Migration } from './migration.ts'

/** When the client of an open upload was last heard of; empty for uploads from before this step, until their next bytes. */
export const activeUploads: Migration = {
  name: 'site/032-active-uploads',
  takesOlderRows: true,
  sqlite: `
    alter table "resumableUpload" add column "activeAt" text not null default '';
  `,
  postgres: `
    alter table "resumableUpload" add column "activeAt" text collate "C" not null default '';
  `,
}
