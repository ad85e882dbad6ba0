import type { Migration } from './migration.ts'

/** Uploads that are received in several requests, and the pieces of them that are stored. */
export const resumableUploads: Migration = {
  name: 'site/014-resumable-uploads',
  takesOlderRows: true,
  sqlite: `
    create table "resumableUpload" (
      "id" text not null, "userId" text, "shareId" text, "albumId" text, "address" text not null,
      "lengthBytes" integer not null, "offsetBytes" integer not null, "reservedBytes" integer not null,
      "metadata" text not null, "rateLimitHitId" text,
      "state" text not null check ("state" in ('open', 'finishing', 'done', 'ended')), "token" text not null,
      "leasedUntil" text, "fileId" text, "answer" text, "createdAt" text not null, "expiresAt" text not null,
      primary key ("id"), check ("offsetBytes" <= "lengthBytes")
    ) without rowid;
    create index "resumableUpload_by_state" on "resumableUpload" ("state", "userId");
    create index "resumableUpload_by_expiresAt" on "resumableUpload" ("expiresAt");
    create table "uploadPiece" (
      "uploadId" text not null, "offsetBytes" integer not null, "sizeBytes" integer not null,
      "token" text not null, primary key ("uploadId", "offsetBytes"),
      foreign key ("uploadId") references "resumableUpload" ("id") on delete cascade
    ) without rowid;
  `,
  postgres: `
    create table "resumableUpload" (
      "site" integer not null, "id" text collate "C" not null, "userId" text collate "C",
      "shareId" text collate "C", "albumId" text collate "C", "address" text collate "C" not null,
      "lengthBytes" bigint not null, "offsetBytes" bigint not null, "reservedBytes" bigint not null,
      "metadata" text collate "C" not null, "rateLimitHitId" text collate "C",
      "state" text collate "C" not null check ("state" in ('open', 'finishing', 'done', 'ended')),
      "token" text collate "C" not null, "leasedUntil" text collate "C", "fileId" text collate "C",
      "answer" text collate "C", "createdAt" text collate "C" not null, "expiresAt" text collate "C" not null,
      primary key ("site", "id"), check ("offsetBytes" <= "lengthBytes")
    );
    create index "resumableUpload_by_state" on "resumableUpload" ("site", "state", "userId");
    create index "resumableUpload_by_expiresAt" on "resumableUpload" ("site", "expiresAt");
    create table "uploadPiece" (
      "site" integer not null, "uploadId" text collate "C" not null, "offsetBytes" bigint not null,
      "sizeBytes" bigint not null, "token" text collate "C" not null,
      primary key ("site", "uploadId", "offsetBytes"),
      foreign key ("site", "uploadId") references "resumableUpload" ("site", "id") on delete cascade
    );
  `,
}
