import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'vitest'
import { uploadNumbers } from '../../src/http/uploads/error-numbers.ts'
import { expirations } from '../../src/media/upload/upload-request.ts'
import { siteRoutes } from '../../src/routes.ts'
import { settingTable } from '../../src/site/index.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'

const page = await readFile(new URL('../../docs/api-upload.md', import.meta.url), 'utf8')

test('docs/api-upload.md names every address of a site, and no other', () => {
  const named = [...page.matchAll(/`(GET|POST|PATCH|DELETE|PUT) (\/[^\s`]*)`/g)]
  assert.deepEqual(
    [...new Set(named.map(([, method, path]) => `${method} ${path}`))].sort(),
    siteRoutes.map(({ method, path }) => `${method} ${path}`).sort(),
  )
})

test('it has a row for every setting, with its default', () => {
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| (`[^`]*`|none) \|.*\|.*\|$/gm)]
  const defaults = rows.map(([, name, usual]) => [name, usual])
  const settings = Object.entries(settingTable).map(([name, setting]) => [
    name,
    setting.default === '' ? 'none' : `\`${setting.default}\``,
  ])
  assert.deepEqual(defaults.sort(), settings.sort())
})

test('it has a row for every number of a refusal, and for no other', () => {
  const documented = [...page.matchAll(/^\| [45]\d\d \| (\d+) \| .+ \|.*\|$/gm)].map(([, number]) =>
    Number(number),
  )
  const known = [...Object.values(uploadNumbers), 403, 503]
  assert.deepEqual(sorted(documented), sorted(known))
})

const sorted = (numbers: readonly number[]) => [...new Set(numbers)].sort((one, other) => one - other)

test('it names every duration that a file may be asked to live', () => {
  const [, row = ''] = /^\| `expiration` \| (`PT.*?)\. /m.exec(page) ?? []
  assert.deepEqual(row.match(/P\w+/g), [...expirations])
})

const tools = await needing('curl')

tools.test('it shows what its commands are answered with', async () => {
  await using app = await startTestApp()
  const key = await localSite(app)
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
  const script = blocks
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text)
    .join(`\nprintf '${mark}'\n`)
    .replace(/^url=.*$/m, `url='http://localhost:${app.port}'`)
    .replace(/^key=.*$/m, `key='${key}'`)
  const answers = (await runIn(script)).split(mark)
  // The first one only prepares.
  const shown = ['', ...blocks.filter(({ language }) => ['text', 'json'].includes(language)).map(textOf)]
  assert.deepEqual(answers.map(masked), shown.map(masked))
})

const mark = '=====8<====='
const textOf = ({ text }: { text: string }) => text

/** A site that curl finds without being told where. */
async function localSite(app: TestApp): Promise<string> {
  await app.call('POST', 'tenants', { id: 'demo', hostname: 'localhost', is_enabled: true })
  const account = { username: 'admin', email: 'admin@example.com', password: 'a long password' }
  return (await app.call('POST', 'tenants/demo/install', account)).json.api_key
}

async function runIn(script: string): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'terrace-docs-'))
  try {
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd })
    return stdout
  } finally {
    await rm(cwd, { recursive: true })
  }
}

/** Takes away what is another at every run. */
function masked(text: string): string {
  return compact(text)
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME')
    .replaceAll(/\/\d{4}\/\d\d\/\d\d\//g, '/DAY/')
    .replaceAll(/"how_long_ago":"[^"]*"/g, '"how_long_ago":"AGO"')
    .replaceAll(/localhost:\d+/g, 'HOST')
    .replaceAll(/\b[0-9a-f]{48}\b|(?<=\/)[0-9a-f]{32}\b|\b[A-Za-z0-9]{12}(?=["/\s]|$)/g, 'RANDOM')
}

function compact(text: string): string {
  return text.trimStart().startsWith('{\n') ? JSON.stringify(JSON.parse(text)) : text.trim()
}
