import type { Migration } from './migration.ts'

/** Log-in providers (OpenID Connect) and the accounts that users have there. No version before has written a provider. */
export const loginProviders: Migration = {
  name: 'site/018-login-providers',
  takesOlderRows: true,
  sqlite: `
    drop table "loginProvider";
    create table "loginProvider" (
      "name" text not null, "title" text not null, "issuer" text not null, "clientId" text not null,
      "sealedSecret" text not null, "scopes" text not null,
      "isEnabled" integer not null check ("isEnabled" in (0, 1)),
      "isSignUpOpen" integer not null check ("isSignUpOpen" in (0, 1)),
      "newUserRole" text not null check ("newUserRole" in ('user', 'manager')),
      "sortOrder" integer not null, "createdAt" text not null, "updatedAt" text not null,
      "version" integer not null, primary key ("name")
    ) without rowid;
    create table "identity" (
      "id" text not null, "providerName" text not null, "subject" text not null, "userId" text not null,
      "label" text not null, "createdAt" text not null, "lastUsedAt" text, primary key ("id"),
      unique ("providerName", "subject"), unique ("userId", "providerName"),
      foreign key ("providerName") references "loginProvider" ("name") on delete cascade,
      foreign key ("userId") references "user" ("id") on delete cascade
    ) without rowid;
  `,
  postgres: `
    drop table "loginProvider";
    create table "loginProvider" (
      "site" integer not null, "name" text collate "C" not null, "title" text collate "C" not null,
      "issuer" text collate "C" not null, "clientId" text collate "C" not null,
      "sealedSecret" text collate "C" not null, "scopes" text collate "C" not null,
      "isEnabled" smallint not null check ("isEnabled" in (0, 1)),
      "isSignUpOpen" smallint not null check ("isSignUpOpen" in (0, 1)),
      "newUserRole" text collate "C" not null check ("newUserRole" in ('user', 'manager')),
      "sortOrder" integer not null, "createdAt" text collate "C" not null,
      "updatedAt" text collate "C" not null, "version" bigint not null, primary key ("site", "name")
    );
    create table "identity" (
      "site" integer not null, "id" text collate "C" not null, "providerName" text collate "C" not null,
      "subject" text collate "C" not null, "userId" text collate "C" not null,
      "label" text collate "C" not null, "createdAt" text collate "C" not null,
      "lastUsedAt" text collate "C", primary key ("site", "id"),
      unique ("site", "providerName", "subject"), unique ("site", "userId", "providerName"),
      foreign key ("site", "providerName") references "loginProvider" ("site", "name") on delete cascade,
      foreign key ("site", "userId") references "user" ("site", "id") on delete cascade
    );
  `,
}
