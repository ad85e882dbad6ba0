import type { Migration } from './migration.ts'

/** Files that only their owner and administrators see, whatever the album's privacy. */
export const privateFiles: Migration = {
  name: 'site/005-private-files',
  takesOlderRows: true,
  sqlite: `
    alter table "file" add column "isPrivate" integer not null default 0 check ("isPrivate" in (0, 1));
  `,
  postgres: `
    alter table "file" add column "isPrivate" smallint not null default 0;
    alter table "file" add constraint "file_isPrivate_check" check ("isPrivate" in (0, 1));
  `,
}
