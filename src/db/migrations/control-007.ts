import type { Migration } from './migration.ts'

/**
 * Which tenants have changed since a list of them was read. Triggers write it, so that no statement can forget to: a plan that
 * is deleted changes its tenants too. On PostgreSQL the number is that of the transaction, see `postgres/store.ts`.
 */
export const tenantChanges: Migration = {
  name: 'control/007-tenant-changes',
  takesOlderRows: true,
  sqlite: `
    insert into "meta" values ('last-change', '0');
    alter table "tenant" add column "changedIn" integer not null default 0;
    alter table "site" add column "changedIn" integer not null default 0;
    create index "tenant_by_changedIn" on "tenant" ("changedIn");
    create index "site_by_changedIn" on "site" ("changedIn");
    create table "tenantRemoval" (
      "id" text not null, "changedIn" integer not null, "removedAt" text not null, primary key ("changedIn", "id")
    ) without rowid;
    create index "tenantRemoval_by_removedAt" on "tenantRemoval" ("removedAt");
    create trigger "tenant_inserted" after insert on "tenant" begin
      update "meta" set "value" = cast("value" + 1 as text) where "name" = 'last-change';
      update "tenant" set "changedIn" = (select cast("value" as integer) from "meta" where "name" = 'last-change')
        where "id" = new."id";
    end;
    create trigger "tenant_updated" after update of
      "hostname", "isEnabled", "planId", "limits", "env", "site", "createdAt", "updatedAt", "lastJobAt" on "tenant" begin
      update "meta" set "value" = cast("value" + 1 as text) where "name" = 'last-change';
      update "tenant" set "changedIn" = (select cast("value" as integer) from "meta" where "name" = 'last-change')
        where "id" = new."id";
    end;
    create trigger "site_updated" after update of "stats" on "site" begin
      update "meta" set "value" = cast("value" + 1 as text) where "name" = 'last-change';
      update "site" set "changedIn" = (select cast("value" as integer) from "meta" where "name" = 'last-change')
        where "number" = new."number";
    end;
    create trigger "tenant_deleted" after delete on "tenant" begin
      update "meta" set "value" = cast("value" + 1 as text) where "name" = 'last-change';
      delete from "tenantRemoval" where "removedAt" < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day');
      insert into "tenantRemoval" values (
        old."id", (select cast("value" as integer) from "meta" where "name" = 'last-change'),
        strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
      );
    end;
  `,
  postgres: `
    alter table "tenant" add column "changedIn" bigint not null default 0;
    alter table "site" add column "changedIn" bigint not null default 0;
    create index "tenant_by_changedIn" on "tenant" ("changedIn");
    create index "site_by_changedIn" on "site" ("changedIn");
    create table "tenantRemoval" (
      "id" text collate "C" not null, "changedIn" bigint not null, "removedAt" timestamptz not null,
      primary key ("changedIn", "id")
    );
    create index "tenantRemoval_by_removedAt" on "tenantRemoval" ("removedAt");
    create function "noteTenantChange"() returns trigger language plpgsql as
      $$ begin new."changedIn" := txid_current(); return new; end $$;
    create function "noteTenantRemoval"() returns trigger language plpgsql as $$ begin
      delete from "tenantRemoval" where "removedAt" < now() - interval '1 day'; insert into "tenantRemoval"
      values (old."id", txid_current(), now()) on conflict do nothing; return null; end $$;
    create trigger "tenant_changed" before insert or update on "tenant"
      for each row execute function "noteTenantChange"();
    create trigger "site_changed" before update of "stats" on "site"
      for each row execute function "noteTenantChange"();
    create trigger "tenant_deleted" after delete on "tenant"
      for each row execute function "noteTenantRemoval"();
  `,
}
