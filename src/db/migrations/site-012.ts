import type { Migration } from './migration.ts'

/** Users and pages count their edits, and are listed in order. */
export const usersAndPages: Migration = {
  name: 'site/012-users-and-pages',
  takesOlderRows: true,
  sqlite: `
    alter table "user" add column "version" integer not null default 1;
    alter table "page" add column "version" integer not null default 1;
    create index "user_by_createdAt" on "user" ("createdAt", "id");
    create index "page_by_sortOrder" on "page" ("sortOrder", "id");
  `,
  postgres: `
    alter table "user" add column "version" integer not null default 1;
    alter table "page" add column "version" integer not null default 1;
    create index "user_by_createdAt" on "user" ("site", "createdAt", "id");
    create index "page_by_sortOrder" on "page" ("site", "sortOrder", "id");
  `,
}
