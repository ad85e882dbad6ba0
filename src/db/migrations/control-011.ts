import type { Migration } from './migration.ts'

/**
 * The audit log of the installation. Its triggers refuse every change and every deletion of a row: nothing prunes it. Without
 * a head its rows can be deleted, since a restore replaces the log of an empty installation.
 */
export const controlAudit: Migration = {
  name: 'control/011-audit',
  takesOlderRows: true,
  sqlite: `
    create table "controlAudit" (
      "sequence" integer not null, "at" text not null, "verb" text not null, "actor" text not null,
      "actorId" text, "actorName" text, "address" text, "userAgent" text, "requestId" text,
      "target" text not null, "before" text not null, "after" text not null, "hash" text not null,
      primary key ("sequence")
    );
    create index "controlAudit_by_verb" on "controlAudit" ("verb", "sequence");
    create index "controlAudit_by_target" on "controlAudit" ("target", "sequence");
    create index "controlAudit_by_at" on "controlAudit" ("at");
    create table "controlAuditHead" (
      "id" integer not null check ("id" = 1), "sequence" integer not null, "hash" text not null,
      "mac" text not null, primary key ("id")
    ) without rowid;
    create trigger "controlAudit_unchanged" before update on "controlAudit" begin
      select raise(abort, 'No row of the audit log can be changed');
    end;
    create trigger "controlAudit_kept" before delete on "controlAudit"
      when exists (select 1 from "controlAuditHead") begin
      select raise(abort, 'No row of the audit log can be deleted');
    end;
  `,
  postgres: `
    create table "controlAudit" (
      "sequence" bigint not null, "at" text collate "C" not null, "verb" text collate "C" not null,
      "actor" text collate "C" not null, "actorId" text collate "C", "actorName" text collate "C",
      "address" text collate "C", "userAgent" text collate "C", "requestId" text collate "C",
      "target" text collate "C" not null, "before" text collate "C" not null, "after" text collate "C" not null,
      "hash" text collate "C" not null, primary key ("sequence")
    );
    create index "controlAudit_by_verb" on "controlAudit" ("verb", "sequence");
    create index "controlAudit_by_target" on "controlAudit" ("target", "sequence");
    create index "controlAudit_by_at" on "controlAudit" ("at");
    create table "controlAuditHead" (
      "id" integer not null check ("id" = 1), "sequence" bigint not null, "hash" text collate "C" not null,
      "mac" text collate "C" not null, primary key ("id")
    );
    create function "keepControlAudit"() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' and not exists (select from "controlAuditHead") then return old; end if; raise
      exception 'No row of the audit log can be changed or deleted'; end $$;
    create trigger "controlAudit_kept" before update or delete on "controlAudit"
      for each row execute function "keepControlAudit"();
    create trigger "controlAudit_not_truncated" before truncate on "controlAudit"
      for each statement execute function "keepControlAudit"();
  `,
}
