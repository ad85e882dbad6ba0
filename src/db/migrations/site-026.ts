import type { Migration } from './migration.ts'

/** What a request for files says and asks for, and who sent a file that was collected. */
export const fileRequests: Migration = {
  name: 'site/026-file-requests',
  takesOlderRows: true,
  sqlite: `
    alter table "share" add column "message" text not null default '';
    alter table "share" add column "asksName" integer not null default 0;
    alter table "file" add column "contributor" text;
  `,
  postgres: `
    alter table "share" add column "message" text not null default '';
    alter table "share" add column "asksName" integer not null default 0;
    alter table "file" add column "contributor" text;
  `,
}
