import type { CopiedRow, Migration } from './migration.ts'

/** Scopes, limits and rotation of keys; what a list of sessions shows; log-in tries; answers kept for an Idempotency-Key. */
export const keysAndSessions: Migration = {
  name: 'site/007-keys-and-sessions',
  upgradeRow: withSessionId,
  sqlite: `
    alter table "userKey" add column "scope" text not null default 'upload'
      check ("scope" in ('upload', 'read', 'write', 'admin'));
    alter table "userKey" add column "albumId" text references "album" ("id") on delete cascade;
    alter table "userKey" add column "allowedOrigins" text not null default '[]';
    alter table "userKey" add column "allowedAddresses" text not null default '[]';
    alter table "userKey" add column "lastUsedAt" text;
    alter table "userKey" add column "lastUsedAddress" text;
    alter table "userKey" add column "oldSecretHash" text;
    alter table "userKey" add column "oldSecretEndsAt" text;
    create index "userKey_by_albumId" on "userKey" ("albumId") where "albumId" is not null;
    alter table "session" add column "id" text not null default '';
    alter table "session" add column "address" text not null default '';
    alter table "session" add column "userAgent" text not null default '';
    alter table "session" add column "lastUsedAt" text not null default '';
    alter table "session" add column "isLasting" integer not null default 0 check ("isLasting" in (0, 1));
    update "session" set "id" = substr("tokenHash", 1, 12), "lastUsedAt" = "createdAt";
    create unique index "session_by_id" on "session" ("id");
    create table "loginTry" (
      "id" text not null, "address" text not null, "account" text not null, "at" text not null,
      primary key ("id")
    ) without rowid;
    create index "loginTry_by_address_at" on "loginTry" ("address", "at");
    create index "loginTry_by_account_at" on "loginTry" ("account", "at");
    create index "loginTry_by_at" on "loginTry" ("at");
    create table "idempotencyKey" (
      "caller" text not null, "key" text not null, "requestHash" text not null, "token" text not null,
      "state" text not null check ("state" in ('running', 'done')), "leasedUntil" text not null,
      "answer" text, "createdAt" text not null, "expiresAt" text not null, primary key ("caller", "key")
    ) without rowid;
    create index "idempotencyKey_by_expiresAt" on "idempotencyKey" ("expiresAt");
  `,
  postgres: `
    alter table "userKey" add column "scope" text collate "C" not null default 'upload';
    alter table "userKey" add constraint "userKey_scope_check"
      check ("scope" in ('upload', 'read', 'write', 'admin'));
    alter table "userKey" add column "albumId" text collate "C";
    alter table "userKey" add constraint "userKey_site_albumId_fkey"
      foreign key ("site", "albumId") references "album" ("site", "id") on delete cascade;
    alter table "userKey" add column "allowedOrigins" text collate "C" not null default '[]';
    alter table "userKey" add column "allowedAddresses" text collate "C" not null default '[]';
    alter table "userKey" add column "lastUsedAt" text collate "C";
    alter table "userKey" add column "lastUsedAddress" text collate "C";
    alter table "userKey" add column "oldSecretHash" text collate "C";
    alter table "userKey" add column "oldSecretEndsAt" text collate "C";
    create index "userKey_by_albumId" on "userKey" ("site", "albumId") where "albumId" is not null;
    alter table "session" add column "id" text collate "C" not null default '';
    alter table "session" add column "address" text collate "C" not null default '';
    alter table "session" add column "userAgent" text collate "C" not null default '';
    alter table "session" add column "lastUsedAt" text collate "C" not null default '';
    alter table "session" add column "isLasting" smallint not null default 0;
    alter table "session" add constraint "session_isLasting_check" check ("isLasting" in (0, 1));
    update "session" set "id" = substr("tokenHash", 1, 12), "lastUsedAt" = "createdAt";
    create unique index "session_by_id" on "session" ("site", "id");
    create table "loginTry" (
      "site" integer not null, "id" text collate "C" not null, "address" text collate "C" not null,
      "account" text collate "C" not null, "at" text collate "C" not null, primary key ("site", "id")
    );
    create index "loginTry_by_address_at" on "loginTry" ("site", "address", "at");
    create index "loginTry_by_account_at" on "loginTry" ("site", "account", "at");
    create index "loginTry_by_at" on "loginTry" ("site", "at");
    create table "idempotencyKey" (
      "site" integer not null, "caller" text collate "C" not null, "key" text collate "C" not null,
      "requestHash" text collate "C" not null, "token" text collate "C" not null,
      "state" text collate "C" not null check ("state" in ('running', 'done')),
      "leasedUntil" text collate "C" not null, "answer" text collate "C", "createdAt" text collate "C" not null,
      "expiresAt" text collate "C" not null, primary key ("site", "caller", "key")
    );
    create index "idempotencyKey_by_expiresAt" on "idempotencyKey" ("site", "expiresAt");
  `,
}

/** Other rows of an older backup take the defaults of their new columns; a session's id must be its own. */
function withSessionId({ table, row }: CopiedRow): CopiedRow {
  if (table !== 'session') return { table, row }
  const id = String(row.tokenHash).slice(0, 12)
  return { table, row: { ...row, id, lastUsedAt: row.createdAt ?? '' } }
}
