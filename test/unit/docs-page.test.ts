import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { test } from 'vitest'
import { escapeHtml } from '../../src/common/texts.ts'
import type { OpenApi, Schema } from '../../src/http/openapi/openapi-document.ts'
import { firstSchemeScript, secondSchemeScript, signedText } from '../../src/pages/docs/authentication.ts'
import { docsBody, docsPage } from '../../src/pages/docs/docs-page.ts'
import { fieldsOf, typeOf } from '../../src/pages/docs/fields.ts'
import { describedRoutes, installationDocument, mediaRoutes, siteApiDocument } from '../../src/routes.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { runsOf } from '../support/tiers.ts'

const description = installationDocument()
const siteApi = siteApiDocument()
const page = docsPage(description, docsBody(description, siteApi))

test('the page has every address with its method and summary', () => {
  const text = page.replaceAll('<wbr>', '')
  for (const { method, path, endpoint } of [...describedRoutes, ...mediaRoutes]) {
    const shown = path.replace('*', '{path}')
    assert.ok(text.includes(`>${method}</span> <code>${shown}</code>`), `${method} ${path}`)
    assert.ok(text.includes(`>${escapeHtml(endpoint.summary)}</a></h3>`), endpoint.summary)
  }
})

test('the page shows every example, and one error for all', () => {
  for (const { endpoint } of [...describedRoutes, ...mediaRoutes]) {
    const good = Object.entries(endpoint.responses).filter(([status]) => Number(status) < 400)
    const examples = [endpoint.bodyExample, ...good.map(([, answer]) => answer.example)]
    for (const example of examples.filter((each) => typeof each === 'object')) {
      assert.ok(page.includes(escapeHtml(JSON.stringify(example, null, 2))), endpoint.summary)
    }
  }
  assert.equal(page.split('&quot;error&quot;: {').length - 1, 1)
})

test('the page says how both signatures are made', () => {
  for (const text of [firstSchemeScript.trimEnd(), secondSchemeScript.trimEnd(), signedText]) {
    assert.ok(page.includes(`<pre><code>${escapeHtml(text)}</code></pre>`))
  }
  assert.ok(page.includes('SERVICE_TENANTS_API_REQUIRE_V2=1'))
})

test('every link within the page has its target, and no name is taken twice', () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  assert.equal(new Set(ids).size, ids.length)
  for (const [, target = ''] of page.matchAll(/ href="#([^"]+)"/g)) assert.ok(ids.includes(target), target)
})

test('the page loads nothing but assets, and has nothing inline', () => {
  assert.doesNotMatch(page, /<style|<img|<iframe|\sstyle=|\son\w+=|javascript:|url\(|@import/i)
  assert.equal(page.match(/<script/g)?.length, 1)
  const addresses = [...page.matchAll(/ (?:href|src)="([^#"][^"]*)"/g)].map(([, address = '']) => address)
  assert.deepEqual(
    addresses.filter(
      (address) => !/^\/_\/assets\/[a-z-]+-[A-Z0-9]{8}\.(js|css|svg)(#[a-z-]+)?$/.test(address),
    ),
    ['/_/openapi.json'],
  )
})

const pageWith = (text: string) => {
  const [installation, site] = [withTexts(description, text), withTexts(siteApi, text)]
  return docsPage(installation, docsBody(installation, site))
}

test('no text of a description becomes markup', () => {
  const plain = tagsOf(pageWith('x'))
  const markup = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '&',
    '<script>',
    '</style>',
    '<b onclick=x>',
    '">',
    'a',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(markup, { minLength: 1 }), (parts) => {
      assert.deepEqual(tagsOf(pageWith(parts.join(''))), plain)
    }),
    { numRuns: runsOf(100) },
  )
})

const types: readonly [schema: Schema, words: string][] = [
  [{ type: 'string' }, 'string'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
  [{ type: 'array', items: { type: 'integer' } }, 'array of integers'],
  [{ type: 'object', patternProperties: { '^.*$': { type: 'string' } } }, 'map of strings'],
  [{ type: 'array', items: { $ref: '#/components/schemas/Plan' } }, 'array of objects'],
  [mapOf({ anyOf: [{ type: 'string' }, { type: 'number' }] }), 'map of strings or numbers'],
  [{ anyOf: [mapOf({ type: 'string' }), { type: 'null' }] }, 'map of strings or null'],
  [
    {
      anyOf: [
        mapOf({ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] }),
        { type: 'null' },
      ],
    },
    'map of strings, numbers or booleans, or null',
  ],
]

test.for(types)('the type of %j is written as “%s”', ([schema, words]) => {
  assert.equal(typeOf(description, schema), words)
})

test('fields inside others are named by the way to them', () => {
  const leaf: Schema = { type: 'string', description: 'A leaf' }
  const inner: Schema = { type: 'object', properties: { leaf }, required: ['leaf'] }
  const nullable: Schema = { anyOf: [{ ...inner, description: 'Or nothing' }, { type: 'null' }] }
  const schema = {
    type: 'object',
    properties: { inner, list: { type: 'array', items: inner }, map: mapOf(inner), nullable },
  }
  const names = fieldsOf(description, schema).map(({ name }) => name)
  assert.deepEqual(names, ['inner.leaf', 'list[].leaf', 'map.{name}.leaf', 'nullable', 'nullable.leaf'])
})

const tools = await needing('openssl', 'curl')

tools.test('the scripts of the page work when their first lines are filled in', async () => {
  await using app = await startTestApp()
  assert.match(await run(firstSchemeScript, app), /^HTTP\/1\.1 201 /)
  assert.match(await run(secondSchemeScript, app), /^HTTP\/1\.1 204 /)
  const { json } = await app.call('GET', 'tenants/cats')
  assert.equal(json.is_enabled, false)
  assert.match(await run(firstSchemeScript, { ...app, secret: 'another' }), /^HTTP\/1\.1 401 /)
  assert.match(await run(secondSchemeScript, { ...app, secret: 'another' }), /^HTTP\/1\.1 401 /)
})

function mapOf(value: Schema): Schema {
  return { type: 'object', patternProperties: { '^.*$': value } }
}

const tagsOf = (markup: string) => [...markup.matchAll(/<(\/?\w+)/g)].map(([, tag]) => tag)

/** The description with other texts wherever a text is shown. */
function withTexts(original: OpenApi, text: string): OpenApi {
  const shown = ['title', 'version', 'summary', 'description', 'username', 'hostname', 'message']
  return JSON.parse(JSON.stringify(original), (name, value) =>
    shown.includes(name) && typeof value === 'string' ? text : value,
  )
}

async function run(
  script: string,
  { port, key, secret }: Pick<TestApp, 'port' | 'key' | 'secret'>,
): Promise<string> {
  const filled = script
    .replace(/^url=.*$/m, `url='http://127.0.0.1:${port}'`)
    .replace(/^key=.*$/m, `key='${key}'`)
    .replace(/^secret=.*$/m, `secret='${secret}'`)
  const { stdout } = await promisify(execFile)('bash', ['-euc', filled])
  return stdout
}
