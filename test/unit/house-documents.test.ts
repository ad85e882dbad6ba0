import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(root + path, 'utf8')
const outside = ['**/node_modules/**', 'node_modules/**']

/** Names in the documents that are not ours: of Node, of libraries, of protocols, of folders in the data folder. */
const FOREIGN: ReadonlySet<string> = new Set<string>([
  'IsTruncated',
  // The file that an example in CONTRIBUTING.md adds.
  'src/imaging/kinds/jxl.ts',
  // Never to be used as names, by STYLE.md.
  'misc.ts',
  'types.ts',
  // Folders of the data folder and of a checkout that was started.
  'archives/',
  'audit-heads/',
  'build/',
  'bytes/',
  'decoders/',
  'drafts/',
  'exports/',
  'images/',
  'moving/',
  'restoring/',
  'secrets/',
  'spool/',
  'trash/',
])

interface Project {
  /** Every file and folder; folders end in a slash. */
  paths: readonly string[]
  /** Every word in the sources outside of comments. */
  words: ReadonlySet<string>
}

/** What a document names in backticks and the project does not have: files, folders and symbols. */
function goneNames(text: string, { paths, words }: Project): string[] {
  const named = [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name.trim())
  return [...new Set(named)].filter((name) => {
    if (FOREIGN.has(name)) return false
    if (isPath(name)) return !paths.some((path) => `/${path}`.endsWith(`/${name}`))
    return symbolsOf(name).some((symbol) => !words.has(symbol) && !FOREIGN.has(symbol))
  })
}

const withoutBlocks = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '')

/** `site-jobs.ts`, `media/jobs/`, `src/cli`; not `/_/docs`, `-table.ts` or `sites/NUMBER/`. */
const isPath = (name: string) =>
  /^(src|test|bench)\/[\w./-]*$|^[\w./-]*\b[\w-]+\.(ts|mjs|sh)$|^[a-z\d-]+(\/[a-z\d-]+)*\/$/.test(name)

/** The camelCase and PascalCase parts of `syncStats(control, site)` or `control.clockSkew`. */
function symbolsOf(name: string): string[] {
  if (!/^[A-Za-z_$][\w$.]*(\([\w$,. {}]*\))?$/.test(name)) return []
  return (name.match(/[A-Za-z_$][\w$]*/g) ?? []).filter((word) => /[a-z\d][A-Z]/.test(word))
}

function readProject(): Project {
  // This file names what is gone.
  const sources = globSync('{src,web,test,bench}/**/*.ts', {
    cwd: root,
    exclude: [...outside, '**/house-documents.test.ts'],
  })
  const files = globSync('{src,web,test,bench,deploy,bin,docs,.ci}/**', { cwd: root, exclude: outside })
  const paths = [...files, ...globSync('*.*', { cwd: root })]
  const folders = new Set(
    paths.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1))),
  )
  const words = sources.flatMap((path) => withoutComments(read(path)).match(/[A-Za-z_$][\w$]*/g) ?? [])
  return { paths: [...paths, ...folders], words: new Set(words) }
}

const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')

describe('documents name no file and no symbol that is gone:', () => {
  const project = readProject()
  const documents = globSync('{README,ARCHITECTURE,STYLE,CONTRIBUTING,docs/**/*}.md', { cwd: root })

  for (const path of documents) {
    test(path, () => assert.deepEqual(goneNames(read(path), project), []))
  }

  test('and one that is gone is noticed', () => {
    const known = {
      paths: ['src/media/jobs/site-jobs.ts', 'src/media/jobs/'],
      words: new Set(['syncStats', 'control']),
    }
    const text = [
      'In `site-jobs.ts`, `media/jobs/`, `src/media/jobs/site-jobs.ts`, `syncStats` and `syncStats(control, site)`.',
      'Not ours: `/_/docs`, `*-table.ts`, `npm start`, `SERVICE_LISTEN`, `X-API-Key`, `control`, `delete_url`, `cat.jpg`.',
      '```ts\nconst { inBlocks } = everythingGoes\n```',
      'Gone: `jobs.ts`, `care/`, `src/upkeep.ts`, `tellTotals`, `ToldTenant` and `syncStats(siteOf, control)`.',
    ]
    assert.deepEqual(goneNames(text.join('\n'), known), [
      'jobs.ts',
      'care/',
      'src/upkeep.ts',
      'tellTotals',
      'ToldTenant',
      'syncStats(siteOf, control)',
    ])
  })
})

describe('the way of a request in ARCHITECTURE.md', () => {
  const ways = [...read('ARCHITECTURE.md').matchAll(/^- (.+) \((\d+) files, limit (\d+)\): (.+)$/gm)]
  const most = [35, 10, 20, 15, 12]

  test('is listed for five journeys, with limits that do not grow', () => {
    assert.deepEqual(
      ways.map(([, , , limit]) => Number(limit)),
      most,
    )
  })

  for (const [, name = '', count, limit, list = ''] of ways) {
    test(`${name}: every file exists, and they are few`, () => {
      const files = [...list.matchAll(/`([^`]+)`/g)].map(([, path]) => `src/${path}`)
      assert.deepEqual(
        files.filter((path) => !existsSync(root + path)),
        [],
      )
      assert.equal(new Set(files).size, Number(count))
      assert.ok(files.length === Number(count) && files.length <= Number(limit))
    })
  }
})
