import type { CopiedRow, Migration } from './migration.ts'

const weights = { title: 'A', tags: 'B', name: 'C', description: 'D' }

/** The words of some fields, each with its place and the weight of its field. */
const vectorOf = (...fields: (keyof typeof weights)[]) =>
  fields
    .map((field) => {
      const words = `replace("${field}", ' ', ' s' || "site" || 'x')`
      return `setweight(to_tsvector('pg_catalog.simple', ${words}), '${weights[field]}')`
    })
    .join(' || ')

/**
 * The words of files for the search, as text that is copied with the other rows; each store keeps its own index of it. Words, and
 * the forms of tags and albums, follow from texts by rules that SQL does not have: the job `index-texts` makes those of older rows.
 *
 * On PostgreSQL every word in the index begins with the site's number (`s12x`): one index serves all sites, and a query of one
 * site reads no entry of another. There is a vector for each class of results, because the planner counts words and not their weights.
 */
export const searchWords: Migration = {
  name: 'site/011-search-words',
  upgradeRow: withoutTexts,
  sqlite: `
    create table "fileText" (
      "number" integer not null, "fileId" text not null, "title" text not null, "tags" text not null,
      "name" text not null, "description" text not null, primary key ("number"), unique ("fileId"),
      foreign key ("fileId") references "file" ("id") on delete cascade
    );
    create virtual table "fileWords" using fts5(
      "title", "tags", "name", "description", content='fileText', content_rowid='number', tokenize='ascii', columnsize=0
    );
    create trigger "fileText_inserted" after insert on "fileText" begin
      insert into "fileWords" ("rowid", "title", "tags", "name", "description")
        values (new."number", new."title", new."tags", new."name", new."description");
    end;
    create trigger "fileText_deleted" after delete on "fileText" begin
      insert into "fileWords" ("fileWords", "rowid", "title", "tags", "name", "description")
        values ('delete', old."number", old."title", old."tags", old."name", old."description");
    end;
    create trigger "fileText_updated" after update on "fileText" begin
      insert into "fileWords" ("fileWords", "rowid", "title", "tags", "name", "description")
        values ('delete', old."number", old."title", old."tags", old."name", old."description");
      insert into "fileWords" ("rowid", "title", "tags", "name", "description")
        values (new."number", new."title", new."tags", new."name", new."description");
    end;
    alter table "tag" add column "form" text not null default '';
    create index "tag_by_form" on "tag" ("form", "name");
    alter table "album" add column "words" text not null default '';
    create index "album_without_words" on "album" ("id") where "words" = '';
    update "file" set "textVersion" = 0;
  `,
  postgres: `
    create table "fileText" (
      "site" integer not null, "number" bigint not null, "fileId" text collate "C" not null,
      "title" text collate "C" not null, "tags" text collate "C" not null, "name" text collate "C" not null,
      "description" text collate "C" not null,
      "searchVector1" tsvector generated always as (${vectorOf('title', 'tags')}) stored,
      "searchVector2" tsvector generated always as (${vectorOf('title', 'tags', 'name')}) stored,
      "searchVector3" tsvector generated always as (${vectorOf('title', 'tags', 'name', 'description')}) stored,
      primary key ("site", "number"), unique ("site", "fileId"),
      foreign key ("site", "fileId") references "file" ("site", "id") on delete cascade
    );
    create index "fileText_by_searchVector1" on "fileText" using gin ("searchVector1");
    create index "fileText_by_searchVector2" on "fileText" using gin ("searchVector2");
    create index "fileText_by_searchVector3" on "fileText" using gin ("searchVector3");
    alter table "tag" add column "form" text collate "C" not null default '';
    create index "tag_by_form" on "tag" ("site", "form", "name");
    alter table "album" add column "words" text collate "C" not null default '';
    create index "album_without_words" on "album" ("site", "id") where "words" = '';
    update "file" set "textVersion" = 0;
  `,
}

/** The job makes what the step would have left to it. */
function withoutTexts({ table, row }: CopiedRow): CopiedRow {
  return table === 'file' ? { table, row: { ...row, textVersion: 0 } } : { table, row }
}
