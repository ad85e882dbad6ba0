import type { Migration } from './migration.ts'

/** What the account pages need: the proof of a session, links in mails, preferences. */
export const accountPages: Migration = {
  name: 'site/013-account-pages',
  takesOlderRows: true,
  sqlite: `
    alter table "session" add column "provenAt" text;
    alter table "user" add column "preferences" text not null default '{}';
    create table "mailLink" (
      "tokenHash" text not null, "kind" text not null, "userId" text, "content" text not null,
      "createdAt" text not null, "expiresAt" text not null, primary key ("tokenHash"),
      foreign key ("userId") references "user" ("id") on delete cascade
    ) without rowid;
    create index "mailLink_by_userId" on "mailLink" ("userId");
    create index "mailLink_by_expiresAt" on "mailLink" ("expiresAt");
  `,
  postgres: `
    alter table "session" add column "provenAt" text collate "C";
    alter table "user" add column "preferences" text collate "C" not null default '{}';
    create table "mailLink" (
      "site" integer not null, "tokenHash" text collate "C" not null, "kind" text collate "C" not null,
      "userId" text collate "C", "content" text collate "C" not null, "createdAt" text collate "C" not null,
      "expiresAt" text collate "C" not null, primary key ("site", "tokenHash"),
      foreign key ("site", "userId") references "user" ("site", "id") on delete cascade
    );
    create index "mailLink_by_userId" on "mailLink" ("site", "userId");
    create index "mailLink_by_expiresAt" on "mailLink" ("site", "expiresAt");
  `,
}
