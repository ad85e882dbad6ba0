import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** Blocks of TypeScript that name the file that they quote, as in "```ts src/app.ts". */
const quotes = [...read('CONTRIBUTING.md').matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, path = '', text = '']) => ({ path, text }),
)

/** The first quoted line that the source does not have behind the one before it. A line of `…` stands for any lines. */
function missingLine(text: string, source: string): string | undefined {
  const wanted = linesOf(text).filter((line) => line !== '…')
  const found = linesOf(source)
  let from = 0
  return wanted.find((line) => {
    from = found.indexOf(line, from) + 1
    return from === 0
  })
}

const linesOf = (text: string) => text.split('\n').map((line) => line.trim())

describe('CONTRIBUTING.md', () => {
  test.for(quotes)('quotes $path as it is', ({ path, text }) => {
    assert.equal(missingLine(text.trim(), read(path)), undefined)
  })

  test('has an example of a route, a page, a job, a command and a test', () => {
    const sections = read('CONTRIBUTING.md').split(/^## /m)
    for (const thing of ['route', 'page', 'job', 'command', 'test']) {
      const section = sections.find((each) => each.startsWith(`Add a ${thing}\n`))
      assert.match(section ?? '', /^```ts \S+\n/m, thing)
    }
  })

  test('would not quote a line that is gone, or lines in another order', () => {
    const source = 'a\n  b\nc\nd\n'
    assert.equal(missingLine('a\n…\nd', source), undefined)
    assert.equal(missingLine('a\nx\nd', source), 'x')
    assert.equal(missingLine('c\nb', source), 'b')
  })
})
