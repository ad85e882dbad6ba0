import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { picture, uploaded } from '../support/uploads.ts'

const page = await readFile(new URL('../../docs/api-media.md', import.meta.url), 'utf8')
const [, section = ''] = page.split('#### Sign addresses by yourself\n')
const block = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(section)?.[1] ?? ''

const vectorKey = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'
const vectorPath = '/images/2026/11/15/cat.png'

const programs = {
  Node: { text: block('js'), run: ['node', '--input-type=module', '-e'] },
  Python: { text: block('python'), run: ['python3', '-c'] },
}

async function outputOf({ text, run }: (typeof programs)['Node'], change = (program: string) => program) {
  const [program = '', ...words] = run
  const { stdout } = await promisify(execFile)(program, [...words, change(text)])
  return stdout.trim()
}

const tools = await needing('python')

tools.test(
  'the programs that sign by themselves print what the page says, and what they print opens',
  async () => {
    await using app = await startTestApp()
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { url } = await uploaded(app, cats, { file: await picture({ width: 900, height: 600 }) })
    const { origin, pathname } = new URL(url)
    const rotated = await ask5(app, cats, 'POST signing-key/rotate', { key, body: { overlap_seconds: 0 } })
    for (const [name, program] of Object.entries(programs)) {
      assert.equal(await outputOf(program), block('text').trim(), name)
      const own = (text: string) =>
        text
          .replace(vectorKey, rotated.json.key)
          .replace(vectorPath, pathname)
          .replace("width: '640'", "width: '641'")
          .replace("'width': '640'", "'width': '641'")
      const address = await outputOf(program, own)
      assert.match(address, /[&]width=641&s=/)
      assert.equal((await ask(app, `${origin}${address}`)).status, 200, name)
      const other = address.replace('width=641', 'width=642')
      assert.equal((await ask(app, `${origin}${other}`)).status, 403, name)
    }
  },
)

test('the page shows both programs', () => {
  for (const { text } of Object.values(programs))
    assert.ok(text.includes(vectorKey) && text.includes(vectorPath))
})
