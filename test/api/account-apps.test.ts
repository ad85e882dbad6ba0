import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { uploadApps } from '../../src/http/pages/account/apps/app-list.ts'
import { sendRequest, startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { askPage, cookieIn, tokenIn } from '../support/pages.ts'
import { multipartOf, picture, type TestTenant } from '../support/uploads.ts'

const run = promisify(execFile)
const shelled = await needing('curl')

/** The texts of a page's fields, by their labels. */
function fieldsOf(text: string): Map<string, string> {
  const found = text.matchAll(
    /<label for="(field-\d+)">([^<]*)<\/label><input[^>]* id="\1"[^>]* value="([^"]*)"/g,
  )
  return new Map([...found].map(([, , label = '', value = '']) => [label, unescaped(value)]))
}

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')

describe('the settings of programs work against a live server:', () => {
  let app: TestApp
  let cats: TestTenant
  let cookie: string
  let png: Buffer
  let folder: string
  beforeAll(async () => {
    app = await startTestApp()
    cats = await app.tenant('cats')
    cookie = cookieIn(
      await askPage(app, cats, 'POST /login', { form: { login: 'ada', password: 'a long password' } }),
    )
    png = await picture({ width: 12, height: 8, format: 'png' })
    folder = await mkdtemp(join(tmpdir(), 'terrace-apps-'))
    await writeFile(join(folder, 'picture.png'), png)
  })
  afterAll(async () => {
    await app?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  /** Makes the settings of a program as its button does. */
  async function settingsOf(id: string) {
    const csrf = tokenIn(await askPage(app, cats, 'GET /settings/apps', { cookie }))
    const page = await askPage(app, cats, `POST /settings/apps/${id}`, { cookie, form: { csrf } })
    assert.deepEqual([page.status, page.headers['cache-control']], [200, 'no-store'], page.text)
    const [key = ''] = /trc_\w+/.exec(page.text) ?? []
    const form = { csrf, key }
    const file = await askPage(app, cats, `POST /settings/apps/${id}/file`, { cookie, form })
    return { fields: fieldsOf(page.text), file, key }
  }

  /** Sends a multipart form, as most of them do. */
  async function send(url: string, headers: Record<string, string>, field: string) {
    const { hostname, port, pathname } = new URL(url)
    assert.deepEqual([hostname, Number(port)], [cats.hostname, app.port])
    const form = multipartOf([{ name: field, value: png, fileName: 'shot.png' }])
    const sent = { host: `${hostname}:${port}`, 'content-type': form.type, ...headers }
    const { status, json, text } = await sendRequest(app.port, 'POST', pathname, {
      bytes: form.bytes,
      headers: sent,
    })
    assert.equal(status, 200, text)
    return json
  }

  /** The value at `image.url`. */
  const at = (json: unknown, path: string) =>
    path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], json)

  const isImage = (url: unknown) =>
    assert.match(String(url), new RegExp(`^http://cats\\.test:${app.port}/images/.*\\.png$`))

  test('ShareX, by its file', async () => {
    const { file } = await settingsOf('sharex')
    assert.equal(file.headers['content-disposition'], 'attachment; filename="cats.test.sxcu"')
    const { RequestURL, Headers, FileFormName, Body, RequestMethod, ...paths } = file.json
    assert.deepEqual([Body, RequestMethod], ['MultipartFormData', 'POST'])
    const json = await send(RequestURL, Headers, FileFormName)
    const parsed = (text: string) => at(json, /^\{json:(.+)\}$/.exec(text)?.[1] ?? '')
    isImage(parsed(paths.URL))
    isImage(parsed(paths.ThumbnailURL))
    assert.match(String(parsed(paths.DeletionURL)), /\/image\/\w+\/delete\/\w+$/)
    const refused = await app.send('POST', '/api/1/upload', { headers: { host: cats.hostname } })
    assert.ok(at(refused.json, /^\{json:(.+)\}$/.exec(paths.ErrorMessage)?.[1] ?? ''))
  })

  test('ishare, by its file', async () => {
    const { file } = await settingsOf('ishare')
    const { requestURL, headers, fileFormName, responseURL, deletionURL } = file.json
    const json = await send(requestURL, headers, fileFormName)
    isImage(at(json, /^\{\{(.+)\}\}$/.exec(responseURL)?.[1] ?? ''))
    assert.ok(at(json, /^\{\{(.+)\}\}$/.exec(deletionURL)?.[1] ?? ''))
  })

  test.for([
    ['picgo', 'url', 'customHeader', 'paramName', 'jsonPath'],
    ['piclist', 'endpoint', 'headers', 'formDataKey', 'resDataPath'],
  ] as const)('%s, by its fields', async ([id, url, header, name, path]) => {
    const { fields } = await settingsOf(id)
    const headers = JSON.parse(fields.get(header) ?? '')
    isImage(at(await send(fields.get(url) ?? '', headers, fields.get(name) ?? ''), fields.get(path) ?? ''))
  })

  test('Obsidian, by its fields', async () => {
    const { fields } = await settingsOf('obsidian')
    const body = Object.entries(JSON.parse(fields.get('Upload Body') ?? ''))
    const [name = ''] = body.find(([, value]) => value === '$FILE') ?? []
    const headers = JSON.parse(fields.get('Upload Header') ?? '')
    isImage(
      at(await send(fields.get('Api Endpoint') ?? '', headers, name), fields.get('Image Url Path') ?? ''),
    )
  })

  test('iOS Shortcuts, by its fields', async () => {
    const { fields } = await settingsOf('ios-shortcuts')
    const headers = { 'x-api-key': fields.get('Header X-API-Key') ?? '' }
    const json = await send(fields.get('URL') ?? '', headers, fields.get('Form: File') ?? '')
    isImage(at(json, fields.get('Dictionary Value') ?? ''))
  })

  /** Runs a command line where the name of the site leads to this machine. */
  async function shell(command: string, ...args: string[]): Promise<string> {
    await writeFile(join(folder, '.curlrc'), `resolve = "cats.test:${app.port}:127.0.0.1"\n`)
    const env = { PATH: process.env.PATH ?? '', HOME: folder, CURL_HOME: folder }
    const { stdout } = await run('sh', ['-c', command, 'sh', ...args], { cwd: folder, env })
    return stdout
  }

  shelled.test('curl, Flameshot and Typora, by their commands', async () => {
    const curl = await settingsOf('curl')
    isImage((await shell(curl.fields.get('Terminal') ?? '')).trim())
    const flameshot = await settingsOf('flameshot')
    const piped = (flameshot.fields.get('Terminal') ?? '').replace('flameshot gui --raw', 'cat picture.png')
    isImage((await shell(piped)).trim())
    const typora = await settingsOf('typora')
    await writeFile(join(folder, 'typora-upload.sh'), typora.file.text)
    const command = `${typora.fields.get('Custom command')} "$@"`
    const printed = (await shell(command, './picture.png', 'picture.png')).trim().split('\n')
    assert.equal(printed.length, 2)
    for (const line of printed) isImage(line)
  })

  test('each has a key of its own, named after it', async () => {
    for (const { id } of [...uploadApps, { id: 'curl' }]) await settingsOf(id)
    const { text } = await askPage(app, cats, 'GET /settings/keys', { cookie })
    for (const { name } of uploadApps) assert.ok(text.includes(`>${name}<`), name)
    assert.ok(text.includes('>curl 2<'))
    const form = { csrf: tokenIn(await askPage(app, cats, 'GET /settings', { cookie })), key: '"; rm -rf' }
    assert.equal((await askPage(app, cats, 'POST /settings/apps/typora/file', { cookie, form })).status, 400)
    assert.equal((await askPage(app, cats, 'POST /settings/apps/none', { cookie, form })).status, 404)
  })
})
