import type { Migration } from './migration.ts'

/** Lets the workers visit every site once: files from before the search have no words yet, and no due time tells so. */
export const visitForTexts: Migration = {
  name: 'control/005-visit-for-texts',
  takesOlderRows: true,
  sqlite: `update "job" set "dueAt" = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') where "site" > 0 and "failures" = 0;`,
  postgres: `update "job" set "dueAt" = to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') where "site" > 0 and "failures" = 0;`,
}
