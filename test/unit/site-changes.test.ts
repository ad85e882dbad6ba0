import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'vite'
import { describe, test } from 'vitest'
import type { ChangingSite, Site } from '../../src/site/index.ts'

/**
 * `changeSite` commits a site's change and syncs its stats, if the row functions have requested it. The type `ChangingSite` makes it impossible to forget: verbs
 * that change rows demand one, and only these files make one.
 */
const MAKERS: Readonly<Record<string, string>> = {
  'src/site/changing-site.ts': 'defines it',
  'src/site/index.ts': 'exports it',
  'src/tenants/stats/sync-stats.ts': 'syncs after every change',
  'src/tenants/stats/pending-stats.ts': 'syncs after each batch of views',
  'src/tenants/lifecycle/install.ts':
    'writes the stats of a new site with its control row, and resets passwords, on which no stats depend',
  'src/tenants/archive/import-tenant.ts': 'writes the stats of an imported site with its control row',
  'src/maintenance/restore/restore-site.ts': 'writes the stats of a restored site with its control row',
  'src/media/jobs/site-jobs.ts': 'is a job, and a job run syncs when it ends',
}

/** Tables with a time at which a job is due: `due-times-table.ts` reads them. A new row may make it due earlier. */
const insertionOfDue =
  /\.insertInto\('(session|removal|resumableUpload|fileRevision|fileReport|setting|total)'\)/

const insertsWithoutSync = (files: ReadonlyMap<string, string>): string[] =>
  verbsOf(files)
    .filter(({ text }) => insertionOfDue.test(text) && !text.includes('requestSync('))
    .map(({ at, name }) => `${at}: ${name}`)

/** Verbs that write rows on which neither stats nor due times depend. */
const WITHOUT_STATS: ReadonlySet<string> = new Set([
  'checkCountedPassword',
  'countTry',
  'recordFailure',
  // Idempotency keys.
  'tryStart',
  'openRun',
])

const writingCall =
  /\b(inTransaction|(insert|update|delete|upsert|approve|disown|raise)[A-Z]\w*|addToTotal|addViews)\(/

interface Verb {
  at: string
  name: string
  parameterTypes: string[]
  text: string
}

/** Functions that write rows of a site, though they were given one that may only be read. */
const writersOfPlainSites = (files: ReadonlyMap<string, string>): string[] =>
  verbsOf(files)
    .filter(({ parameterTypes }) => parameterTypes.includes('Site') && !parameterTypes.includes('JobContext'))
    .filter(({ name, text }) => writingCall.test(text) && !WITHOUT_STATS.has(name))
    .map(({ at, name }) => `${at}: ${name}`)

function verbsOf(files: ReadonlyMap<string, string>): Verb[] {
  const verbs: Verb[] = []
  for (const [path, text] of files) {
    const { program, errors } = parseSync(path, text)
    assert.deepEqual(errors, [], `${path} cannot be parsed`)
    const add = (name: string, node: { start: number; end: number; params: readonly unknown[] }) =>
      verbs.push({
        at: path,
        name,
        parameterTypes: node.params.map((parameter) => typeNameOf(parameter as Parameter)),
        text: text.slice(node.start, node.end),
      })
    new Visitor({
      FunctionDeclaration: (node) => void add(node.id?.name ?? '', node),
      VariableDeclarator(node) {
        if (node.id.type !== 'Identifier' || node.init?.type !== 'ArrowFunctionExpression') return
        add(node.id.name, node.init)
      },
    }).visit(program)
  }
  return verbs
}

interface Parameter {
  typeAnnotation?: { typeAnnotation?: { typeName?: { name?: string } } } | null
}

const typeNameOf = (parameter: Parameter) => parameter.typeAnnotation?.typeAnnotation?.typeName?.name ?? ''

function sources(pattern: string): Map<string, string> {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const paths = globSync(pattern, { cwd: root }).sort()
  assert.ok(paths.length > 0)
  return new Map(paths.map((path) => [path, readFileSync(root + path, 'utf8')]))
}

describe('changes of a site', () => {
  test('every verb that writes rows takes a ChangingSite', () => {
    assert.deepEqual(writersOfPlainSites(sources('src/{media,accounts}/**/*.ts')), [])
  })

  test('only changeSite and code that writes the stats itself makes a ChangingSite', () => {
    const makers = [...sources('src/**/*.ts')].filter(([, text]) => /\bchangingSite\b/.test(text))
    assert.deepEqual(makers.map(([path]) => path).sort(), Object.keys(MAKERS).sort())
  })

  test('every function that inserts rows with a due time requests a sync', () => {
    assert.deepEqual(insertsWithoutSync(sources('src/{media,accounts}/**/*-table.ts')), [])
    assert.deepEqual(insertsWithoutSync(sources('src/site/settings-table.ts')), [])
    const insert = "db.insertInto('removal').values(row).execute()"
    const files = {
      'a-table.ts': `export async function insertRemoval(db: SiteDb) { await ${insert} }`,
      'b-table.ts': `export async function insertRemoval(db: SiteDb) { await ${insert}; requestSync(db) }`,
    }
    assert.deepEqual(insertsWithoutSync(new Map(Object.entries(files))), ['a-table.ts: insertRemoval'])
  })

  test('a verb that writes rows of a plain site is noticed', () => {
    const writers = {
      'a.ts': 'export async function removeTag(site: Site, name: string) { await deleteTag(site.db, name) }',
      'b.ts': 'export const addTag = (site: Site) => inTransaction(site.db, async () => 1)',
    }
    const others = {
      'c.ts': 'export async function addTag(site: ChangingSite) { await insertTag(site.db) }',
      'd.ts': 'export async function readTag(site: Site) { return findTag(site.db) }',
      'e.ts': 'async function expire(site: Site, context: JobContext) { await deleteFileRows(site.db) }',
    }
    const files = new Map(Object.entries({ ...writers, ...others }))
    assert.deepEqual(writersOfPlainSites(files), ['a.ts: removeTag', 'b.ts: addTag'])
  })

  test('an opened site is no ChangingSite for the compiler', () => {
    const change = (site: ChangingSite) => site.number
    // @ts-expect-error: a door that calls a changing verb without `changeSite` does not compile.
    const wrong = (site: Site) => change(site)
    assert.equal(typeof wrong, 'function')
  })
})
