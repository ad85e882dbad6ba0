import type { Migration } from './migration.ts'

/** Accounts of operators, who log in to the console. */
export const operators: Migration = {
  name: 'control/012-operators',
  takesOlderRows: true,
  sqlite: `
    create table "operator" (
      "id" text primary key, "username" text not null, "usernameKey" text not null unique,
      "role" text not null check ("role" in ('operator', 'viewer')),
      "passwordHash" text not null, "sealedTotp" text, "totpStep" integer not null, "totpSince" text,
      "createdAt" text not null, "lastLoginAt" text
    ) without rowid;
    create table "operatorPasskey" (
      "id" text primary key, "operatorId" text not null references "operator" ("id") on delete cascade,
      "credentialId" text not null unique, "publicKey" text not null, "counter" integer not null,
      "transports" text not null, "hostname" text not null, "name" text not null,
      "createdAt" text not null, "lastUsedAt" text
    ) without rowid;
    create index "operatorPasskey_by_operatorId" on "operatorPasskey" ("operatorId");
    create table "operatorRecoveryCode" (
      "operatorId" text not null references "operator" ("id") on delete cascade,
      "codeHash" text not null, primary key ("operatorId", "codeHash")
    ) without rowid;
    create table "operatorSession" (
      "tokenHash" text primary key, "id" text not null unique,
      "operatorId" text not null references "operator" ("id") on delete cascade,
      "address" text not null, "userAgent" text not null,
      "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text not null, "provenAt" text
    ) without rowid;
    create index "operatorSession_by_operatorId" on "operatorSession" ("operatorId");
    create index "operatorSession_by_expiresAt" on "operatorSession" ("expiresAt");
    create table "operatorInvite" (
      "tokenHash" text primary key, "operatorId" text not null references "operator" ("id") on delete cascade,
      "sealedTotp" text not null, "createdAt" text not null, "expiresAt" text not null
    ) without rowid;
    create index "operatorInvite_by_operatorId" on "operatorInvite" ("operatorId");
    create table "operatorTry" (
      "id" text primary key, "address" text not null, "account" text not null, "at" text not null
    ) without rowid;
    create index "operatorTry_by_address_at" on "operatorTry" ("address", "at");
    create index "operatorTry_by_account_at" on "operatorTry" ("account", "at");
    create index "operatorTry_by_at" on "operatorTry" ("at");
  `,
  postgres: `
    create table "operator" (
      "id" text collate "C" primary key, "username" text collate "C" not null,
      "usernameKey" text collate "C" not null unique,
      "role" text collate "C" not null check ("role" in ('operator', 'viewer')),
      "passwordHash" text collate "C" not null, "sealedTotp" text collate "C", "totpStep" integer not null,
      "totpSince" text collate "C",
      "createdAt" text collate "C" not null, "lastLoginAt" text collate "C"
    );
    create table "operatorPasskey" (
      "id" text collate "C" primary key,
      "operatorId" text collate "C" not null references "operator" ("id") on delete cascade,
      "credentialId" text collate "C" not null unique, "publicKey" text collate "C" not null,
      "counter" bigint not null,
      "transports" text collate "C" not null, "hostname" text collate "C" not null, "name" text collate "C" not null,
      "createdAt" text collate "C" not null, "lastUsedAt" text collate "C"
    );
    create index "operatorPasskey_by_operatorId" on "operatorPasskey" ("operatorId");
    create table "operatorRecoveryCode" (
      "operatorId" text collate "C" not null references "operator" ("id") on delete cascade,
      "codeHash" text collate "C" not null, primary key ("operatorId", "codeHash")
    );
    create table "operatorSession" (
      "tokenHash" text collate "C" primary key, "id" text collate "C" not null unique,
      "operatorId" text collate "C" not null references "operator" ("id") on delete cascade,
      "address" text collate "C" not null, "userAgent" text collate "C" not null,
      "createdAt" text collate "C" not null, "lastUsedAt" text collate "C" not null,
      "expiresAt" text collate "C" not null, "provenAt" text collate "C"
    );
    create index "operatorSession_by_operatorId" on "operatorSession" ("operatorId");
    create index "operatorSession_by_expiresAt" on "operatorSession" ("expiresAt");
    create table "operatorInvite" (
      "tokenHash" text collate "C" primary key,
      "operatorId" text collate "C" not null references "operator" ("id") on delete cascade,
      "sealedTotp" text collate "C" not null, "createdAt" text collate "C" not null,
      "expiresAt" text collate "C" not null
    );
    create index "operatorInvite_by_operatorId" on "operatorInvite" ("operatorId");
    create table "operatorTry" (
      "id" text collate "C" primary key, "address" text collate "C" not null, "account" text collate "C" not null,
      "at" text collate "C" not null
    );
    create index "operatorTry_by_address_at" on "operatorTry" ("address", "at");
    create index "operatorTry_by_account_at" on "operatorTry" ("account", "at");
    create index "operatorTry_by_at" on "operatorTry" ("at");
  `,
}
