import type { Migration } from './migration.ts'

/**
 * Files without a placeholder, which the job `add-placeholders` looks for. An empty one says that none could be made. It is null in rows of
 * the versions before.
 */
export const missingPlaceholders: Migration = {
  name: 'site/044-missing-placeholders',
  takesOlderRows: true,
  sqlite: `
    create index "file_without_placeholder" on "file" ("id") where "placeholder" is null;
  `,
  postgres: `
    create index "file_without_placeholder" on "file" ("site", "id") where "placeholder" is null;
  `,
}
