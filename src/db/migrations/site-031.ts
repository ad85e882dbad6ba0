import type { Migration } from './migration.ts'

/** The checksum of each piece of an open upload, so that a piece is proven when the file is put together. */
export const pieceSums: Migration = {
  name: 'site/031-piece-sums',
  takesOlderRows: true,
  sqlite: `
    alter table "uploadPiece" add column "sha256" text;
  `,
  postgres: `
    alter table "uploadPiece" add column "sha256" text collate "C";
  `,
}
