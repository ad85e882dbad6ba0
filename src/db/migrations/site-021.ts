import type { Migration } from './migration.ts'

/** Second steps of the log-in, and passkeys. */
export const secondSteps: Migration = {
  name: 'site/021-second-steps',
  takesOlderRows: true,
  sqlite: `
    create table "totp" (
      "userId" text not null, "sealedSecret" text not null, "lastStep" integer not null,
      "createdAt" text not null, primary key ("userId"),
      foreign key ("userId") references "user" ("id") on delete cascade
    ) without rowid;
    create table "recoveryCode" (
      "userId" text not null, "codeHash" text not null, primary key ("userId", "codeHash"),
      foreign key ("userId") references "user" ("id") on delete cascade
    ) without rowid;
    create table "passkey" (
      "id" text not null, "userId" text not null, "credentialId" text not null, "publicKey" text not null,
      "counter" integer not null, "transports" text not null, "hostname" text not null, "name" text not null,
      "createdAt" text not null, "lastUsedAt" text, primary key ("id"), unique ("credentialId"),
      foreign key ("userId") references "user" ("id") on delete cascade
    ) without rowid;
    create index "passkey_by_userId" on "passkey" ("userId");
    create table "usedToken" (
      "tokenHash" text not null, "expiresAt" text not null, primary key ("tokenHash")
    ) without rowid;
    create index "usedToken_by_expiresAt" on "usedToken" ("expiresAt");
  `,
  postgres: `
    create table "totp" (
      "site" integer not null, "userId" text collate "C" not null, "sealedSecret" text collate "C" not null,
      "lastStep" bigint not null, "createdAt" text collate "C" not null, primary key ("site", "userId"),
      foreign key ("site", "userId") references "user" ("site", "id") on delete cascade
    );
    create table "recoveryCode" (
      "site" integer not null, "userId" text collate "C" not null, "codeHash" text collate "C" not null,
      primary key ("site", "userId", "codeHash"),
      foreign key ("site", "userId") references "user" ("site", "id") on delete cascade
    );
    create table "passkey" (
      "site" integer not null, "id" text collate "C" not null, "userId" text collate "C" not null,
      "credentialId" text collate "C" not null, "publicKey" text collate "C" not null,
      "counter" bigint not null, "transports" text collate "C" not null,
      "hostname" text collate "C" not null, "name" text collate "C" not null,
      "createdAt" text collate "C" not null, "lastUsedAt" text collate "C", primary key ("site", "id"),
      unique ("site", "credentialId"),
      foreign key ("site", "userId") references "user" ("site", "id") on delete cascade
    );
    create index "passkey_by_userId" on "passkey" ("site", "userId");
    create table "usedToken" (
      "site" integer not null, "tokenHash" text collate "C" not null, "expiresAt" text collate "C" not null,
      primary key ("site", "tokenHash")
    );
    create index "usedToken_by_expiresAt" on "usedToken" ("site", "expiresAt");
  `,
}
