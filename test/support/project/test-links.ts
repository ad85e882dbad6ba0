import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** What is wrong with "`title of a test` ([name](../test/…))", with which a cell of a document begins; undefined if nothing is. */
export function faultOfTestLink(cell: string): string | undefined {
  const [, title = '', path = ''] = /^`([^`]+)` \(\[[\w.-]+\]\(\.\.\/(test\/[\w./-]+)\)\)/.exec(cell) ?? []
  if (!path.endsWith('.test.ts') || !existsSync(root + path)) return 'no file of tests'
  const titles = titlesIn(readFileSync(root + path, 'utf8'))
  return titles.some((known) => known.includes(title)) ? undefined : `no test "${title}"`
}

/** The first text behind each `test(`, `describe(` and the like; rows of `test.for` end with it. */
const titlesIn = (source: string): string[] =>
  [...source.matchAll(/(?:\b(?:test|describe|onEachStore|onBothStores)\(|\]?\)\()\s*(['"`])(.*?)\1,/g)].map(
    ([, , title = '']) => title.replaceAll("\\'", "'"),
  )
