import type { Migration } from './migration.ts'

/** Reports of files. A report goes with its file, and outlives the user who made it. */
export const fileReports: Migration = {
  name: 'site/022-file-reports',
  takesOlderRows: true,
  sqlite: `
    create table "fileReport" (
      "id" text not null, "fileId" text not null, "userId" text, "address" text not null, "md5" text not null,
      "reason" text not null, "text" text not null, "createdAt" text not null, "keptAt" text,
      primary key ("id"), foreign key ("fileId") references "file" ("id") on delete cascade
    ) without rowid;
    create index "fileReport_by_fileId" on "fileReport" ("fileId", "createdAt");
    create index "fileReport_by_address" on "fileReport" ("address", "createdAt");
    create index "fileReport_open" on "fileReport" ("fileId") where "keptAt" is null;
  `,
  postgres: `
    create table "fileReport" (
      "site" integer not null, "id" text collate "C" not null, "fileId" text collate "C" not null,
      "userId" text collate "C", "address" text collate "C" not null, "md5" text collate "C" not null,
      "reason" text collate "C" not null, "text" text collate "C" not null,
      "createdAt" text collate "C" not null, "keptAt" text collate "C", primary key ("site", "id"),
      foreign key ("site", "fileId") references "file" ("site", "id") on delete cascade
    );
    create index "fileReport_by_fileId" on "fileReport" ("site", "fileId", "createdAt");
    create index "fileReport_by_address" on "fileReport" ("site", "address", "createdAt");
    create index "fileReport_open" on "fileReport" ("site", "fileId") where "keptAt" is null;
  `,
}
