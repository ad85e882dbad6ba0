import type { Migration } from './migration.ts'

const ofTags = `select 'tag' as "kind", "fileTag"."tagName" as "label"`
const ofCategories = `select 'category' as "kind", cast("file"."categoryId" as text) as "label"`

const counted = (site: string, isSame: string) => `
  "file"."userId", case when "file"."isApproved" = 1 and "file"."isPrivate" = 0 and ("file"."albumId" is null or exists (
    select 1 from "album" where "album"."id" = "file"."albumId" and "album"."privacy" = 'public'${isSame}
  )) then 1 else 0 end as "listed"${site}`

const labelled = (site: string, isSameAlbum: string, isSameTag: string) => `
  ${ofTags}, ${counted(site, isSameAlbum)}
  from "file" join "fileTag" on "fileTag"."fileId" = "file"."id"${isSameTag} where "file"."deletedAt" is null
  union all
  ${ofCategories}, ${counted(site, isSameAlbum)}
  from "file" where "file"."deletedAt" is null and "file"."categoryId" is not null`

const onSqlite = labelled('', '', '')
const onPostgres = labelled(
  ', "file"."site"',
  ' and "album"."site" = "file"."site"',
  ' and "fileTag"."site" = "file"."site"',
)

/** How many files each tag and each category has, counted by the transactions that change it. */
export const labelTotals: Migration = {
  name: 'site/040-label-totals',
  takesOlderRows: true,
  sqlite: `
    create table "labelTotal" (
      "kind" text not null check ("kind" in ('tag', 'category')), "label" text not null, "userId" text not null,
      "files" integer not null, "listed" integer not null, primary key ("kind", "label", "userId")
    ) without rowid;
    create index "labelTotal_by_userId" on "labelTotal" ("userId") where "userId" <> '';
    insert into "labelTotal"
      select "kind", "label", '', count(*), sum("listed") from (${onSqlite}) group by 1, 2;
    insert into "labelTotal"
      select "kind", "label", "userId", count(*), sum("listed") from (${onSqlite})
      where "userId" is not null group by 1, 2, 3;
  `,
  postgres: `
    create table "labelTotal" (
      "site" integer not null, "kind" text collate "C" not null check ("kind" in ('tag', 'category')),
      "label" text collate "C" not null, "userId" text collate "C" not null,
      "files" bigint not null, "listed" bigint not null, primary key ("site", "kind", "label", "userId")
    );
    create index "labelTotal_by_userId" on "labelTotal" ("site", "userId") where "userId" <> '';
    insert into "labelTotal"
      select "site", "kind", "label", '', count(*), sum("listed") from (${onPostgres}) as "labelled" group by 1, 2, 3;
    insert into "labelTotal"
      select "site", "kind", "label", "userId", count(*), sum("listed") from (${onPostgres}) as "labelled"
      where "userId" is not null group by 1, 2, 3, 4;
  `,
}
