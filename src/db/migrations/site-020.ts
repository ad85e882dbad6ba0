import type { Migration } from './migration.ts'

/**
 * The audit log. Its triggers refuse every change of a row, and every deletion but that of rows up to `prunedSequence`. A
 * site without a head is being dropped: its rows are deleted in the reverse order of `siteTables`.
 */
export const auditLog: Migration = {
  name: 'site/020-audit',
  takesOlderRows: true,
  sqlite: `
    create table "audit" (
      "sequence" integer not null, "at" text not null, "verb" text not null, "actor" text not null,
      "userId" text, "keyId" text, "address" text, "target" text not null, "before" text not null,
      "after" text not null, "hash" text not null, primary key ("sequence")
    );
    create index "audit_by_verb" on "audit" ("verb", "sequence");
    create index "audit_by_userId" on "audit" ("userId", "sequence");
    create index "audit_by_at" on "audit" ("at");
    create table "auditHead" (
      "id" integer not null check ("id" = 1), "sequence" integer not null, "hash" text not null,
      "prunedSequence" integer not null, "prunedHash" text not null, primary key ("id")
    ) without rowid;
    create trigger "audit_unchanged" before update on "audit" begin
      select raise(abort, 'No row of the audit log can be changed');
    end;
    create trigger "audit_kept" before delete on "audit"
      when exists (select 1 from "auditHead" where "prunedSequence" < old."sequence") begin
      select raise(abort, 'Only the retention deletes rows of the audit log');
    end;
  `,
  postgres: `
    create table "audit" (
      "site" integer not null, "sequence" bigint not null, "at" text collate "C" not null,
      "verb" text collate "C" not null, "actor" text collate "C" not null, "userId" text collate "C",
      "keyId" text collate "C", "address" text collate "C", "target" text collate "C" not null,
      "before" text collate "C" not null, "after" text collate "C" not null, "hash" text collate "C" not null,
      primary key ("site", "sequence")
    );
    create index "audit_by_verb" on "audit" ("site", "verb", "sequence");
    create index "audit_by_userId" on "audit" ("site", "userId", "sequence");
    create index "audit_by_at" on "audit" ("site", "at");
    create table "auditHead" (
      "site" integer not null, "id" integer not null check ("id" = 1), "sequence" bigint not null,
      "hash" text collate "C" not null, "prunedSequence" bigint not null, "prunedHash" text collate "C" not null,
      primary key ("site", "id")
    );
    create function "keepAudit"() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' and not exists (
        select from "auditHead" where "site" = old."site" and "prunedSequence" < old."sequence"
      ) then return old; end if; raise exception 'Only the retention deletes rows of the audit log'; end $$;
    create trigger "audit_kept" before update or delete on "audit"
      for each row execute function "keepAudit"();
  `,
}
