import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { uploadApps } from '../../src/pages/account/apps/app-list.ts'
import { sendRequest, startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { askPage, cookieIn, tokenIn } from '../support/pages.ts'
import { limit, multipartOf, picture, storedBytes, type TestTenant } from '../support/uploads.ts'

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
  async function settingsOf(id: string, language = 'en') {
    const headers = { 'accept-language': language }
    const csrf = tokenIn(await askPage(app, cats, 'GET /settings/apps', { cookie }))
    const page = await askPage(app, cats, `POST /settings/apps/${id}`, { cookie, form: { csrf }, headers })
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
    const { requestURL, headers, fileFormName, responseURL, deletionURL, deleteRequestType } = file.json
    const json = await send(requestURL, headers, fileFormName)
    isImage(at(json, /^\{\{(.+)\}\}$/.exec(responseURL)?.[1] ?? ''))
    const deletion = new URL(String(at(json, /^\{\{(.+)\}\}$/.exec(deletionURL)?.[1] ?? '')))
    assert.equal(deleteRequestType, 'DELETE')
    const deleted = await app.send(deleteRequestType, deletion.pathname, { headers: { host: cats.hostname } })
    assert.equal(deleted.status, 200, deleted.text)
    const page = await app.send('GET', new URL(json.image.url).pathname, { headers: { host: cats.hostname } })
    assert.equal(page.status, 404)
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

  test('fields of phones and desktops have their names in the language of the reader', async () => {
    const labels = async (id: string, language: string) => [...(await settingsOf(id, language)).fields.keys()]
    assert.deepEqual(await labels('ios-shortcuts', 'de'), [
      'URL',
      'Methode',
      'Header X-API-Key',
      'Formular: Datei',
      'Wörterbuchwert',
    ])
    assert.deepEqual(await labels('flameshot', 'es'), ['Comando'])
  })

  /** Runs a command line where the name of the site leads to this machine. */
  async function shell(command: string, { args = [] as string[], path = process.env.PATH ?? '' } = {}) {
    await writeFile(join(folder, '.curlrc'), `resolve = "cats.test:${app.port}:127.0.0.1"\n`)
    const env = { PATH: path, HOME: folder, CURL_HOME: folder }
    const ended = await run('sh', ['-c', command, 'sh', ...args], { cwd: folder, env }).catch(
      (error) => error,
    )
    return { code: Number(ended.code ?? 0), stdout: String(ended.stdout), stderr: String(ended.stderr) }
  }

  const fileCount = async () => {
    const headers = { host: cats.hostname, cookie, 'sec-fetch-site': 'same-origin' }
    return (await app.send('GET', '/api/5/files?count=true', { headers })).json.total.value
  }

  shelled.test.for([
    ['Terminal', 'curl', "'"],
    ['cmd.exe', 'curl.exe', '"'],
    ['PowerShell', 'curl.exe', "'"],
  ] as const)('curl, by the line for %s', async ([label, program, quote]) => {
    const line = (await settingsOf('curl')).fields.get(label) ?? ''
    const other = quote === '"' ? "'" : '"'
    assert.ok(line.startsWith(`${program} `) && line.includes(' --fail-with-body '), line)
    // What these shells replace, also between their quotes.
    for (const special of [other, '%', '$', '`', '^', '!', '\n']) assert.ok(!line.includes(special), line)
    await mkdir(join(folder, 'bin'), { recursive: true })
    const { stdout: curl } = await run('sh', ['-c', 'command -v curl'])
    await rm(join(folder, 'bin', 'curl.exe'), { force: true })
    await symlink(curl.trim(), join(folder, 'bin', 'curl.exe'))
    const path = `${join(folder, 'bin')}:${process.env.PATH}`
    const uploaded = await shell(line, { path })
    isImage(uploaded.stdout.trim())
    assert.equal(uploaded.code, 0)
    const refused = await shell(line.replace('picture.png', '.curlrc'), { path })
    assert.equal(refused.code, 22)
    assert.match(refused.stdout, /\w+ \w+/)
  })

  const names = [
    'a b.png',
    'a,b.png',
    'a;type=text.png',
    `it's "quoted".png`,
    '$HOME `id`.png',
    'a\\b.png',
    'a\nb.png',
    '-',
    '-x.png',
    '@x.png',
    'ends\n',
    'Grüße 漢 😀.png',
    '*?[a].png',
    '%41%0a.png',
  ]

  shelled.test('Typora, by its script, whatever the names of the files', async () => {
    const typora = await settingsOf('typora')
    await writeFile(join(folder, 'typora-upload.sh'), typora.file.text)
    for (const [index, name] of names.entries())
      await writeFile(join(folder, name), await picture({ width: 20 + index, height: 8, format: 'png' }))
    const command = `${typora.fields.get('Custom command')} "$@"`
    const uploaded = await shell(command, { args: names })
    assert.deepEqual([uploaded.code, uploaded.stderr], [0, ''])
    const printed = uploaded.stdout.split('\n')
    assert.equal(printed.pop(), '')
    assert.equal(new Set(printed).size, names.length)
    for (const [index, line] of printed.entries()) {
      assert.equal((await storedBytes(app, cats, line))?.readUInt32BE(16), 20 + index)
    }
  })

  shelled.test('Typora learns the reason of a refusal, and that there is one', async () => {
    const typora = await settingsOf('typora')
    await writeFile(join(folder, 'typora-upload.sh'), typora.file.text)
    await writeFile(join(folder, 'no picture.txt'), 'text')
    const command = `${typora.fields.get('Custom command')} "$@"`
    const mixed = await shell(command, { args: ['no picture.txt', 'picture.png', 'missing.png'] })
    assert.equal(mixed.code, 1)
    isImage(mixed.stdout.trim())
    assert.match(mixed.stderr, /no picture\.txt: \w+ \w+/)
    assert.match(mixed.stderr, /missing\.png/)
    await writeFile(
      join(folder, 'typora-upload.sh'),
      typora.file.text.replaceAll(typora.key, 'trc_wrong_key'),
    )
    const wrongKey = await shell(command, { args: ['picture.png'] })
    assert.deepEqual([wrongKey.code, wrongKey.stdout], [1, ''])
    assert.match(wrongKey.stderr, /Invalid API key/)
  })

  /** The path of a desktop that has these programs, which note what they get, and of the machine's own only those that are linked. */
  async function desktop(programs: Record<string, string>): Promise<string> {
    const [standIns, linked] = [await mkdtemp(join(folder, 'own-')), await mkdtemp(join(folder, 'linked-'))]
    for (const name of ['sh', 'curl', 'mktemp', 'rm', 'cat', 'grep']) {
      const { stdout } = await run('sh', ['-c', `command -v ${name}`])
      await symlink(stdout.trim(), join(linked, name))
    }
    // `wx` follows no link: nothing outside of the folder is ever written.
    for (const [name, script] of Object.entries(programs))
      await writeFile(join(standIns, name), `#!/bin/sh\n${script}\n`, { mode: 0o755, flag: 'wx' })
    return `${standIns}:${linked}`
  }

  const takes = (name: string) => `cat >"$HOME/${name}.got"`
  const got = (name: string) => readFile(join(folder, `${name}.got`), 'utf8').catch(() => undefined)
  const shows = `printf '%s\\n' "$@" >"$HOME/notify-send.got"`

  async function flameshot(programs: Record<string, string>, change = (script: string) => script) {
    for (const name of ['wl-copy', 'xclip', 'xsel', 'notify-send'])
      await rm(join(folder, `${name}.got`), { force: true })
    const { fields, file } = await settingsOf('flameshot')
    assert.ok(file.text.startsWith('#!/bin/sh\n'))
    await writeFile(join(folder, 'flameshot-upload.sh'), change(file.text))
    return shell(fields.get('Command') ?? '', { path: await desktop(programs) })
  }

  shelled.test.for([
    ['wl-copy', { 'wl-copy': takes('wl-copy'), xclip: takes('xclip') }],
    // Installed, but this desktop is none of Wayland.
    ['xclip', { 'wl-copy': 'exit 1', xclip: takes('xclip'), xsel: takes('xsel') }],
    ['xsel', { xsel: takes('xsel') }],
  ] as const)('Flameshot, by its script, with %s', async ([copies, programs]) => {
    const shot = { flameshot: 'cat "$HOME/picture.png"', 'notify-send': shows, ...programs }
    const { code, stdout, stderr } = await flameshot(shot)
    assert.deepEqual([code, stderr], [0, ''])
    isImage(stdout.trim())
    assert.equal(await got(copies), stdout.trim())
    assert.ok((await got('notify-send'))?.includes(stdout.trim()))
  })

  shelled.test('Flameshot shows why an upload was refused, or why there is none', async () => {
    const shown = { 'wl-copy': takes('wl-copy'), 'notify-send': shows }
    const refused = await flameshot({ flameshot: 'echo no picture', ...shown })
    const [wrongKey, unreachable, missing] = [
      await flameshot({ flameshot: 'cat "$HOME/picture.png"', ...shown }, (text) =>
        text.replace(/trc_\w+/, 'trc_a_b'),
      ),
      await flameshot({ flameshot: 'cat "$HOME/picture.png"', ...shown }, (text) =>
        text.replace(`:${app.port}/`, ':1/'),
      ),
      await flameshot(shown),
    ]
    for (const { code, stdout } of [refused, wrongKey, unreachable, missing])
      assert.deepEqual([code, stdout], [1, ''])
    assert.match(refused.stderr, /\w+ \w+/)
    assert.match(wrongKey.stderr, /Invalid API key/)
    assert.match(unreachable.stderr, /curl: \(\d+\)/)
    assert.match(missing.stderr, /Flameshot is not installed/)
    for (const name of ['wl-copy', 'notify-send']) assert.match((await got(name)) ?? '', /not installed/)
  })

  shelled.test.for(['', 'exit 1', 'echo screenshot aborted'])(
    'Flameshot sends nothing when it is cancelled (%j)',
    async (cancels) => {
      const before = await fileCount()
      const shown = { 'wl-copy': takes('wl-copy'), 'notify-send': shows }
      const { code, stdout } = await flameshot({ flameshot: cancels, curl: ': >"$HOME/sent"', ...shown })
      assert.deepEqual([code, stdout], [0, ''])
      assert.deepEqual([await got('wl-copy'), await got('notify-send')], [undefined, undefined])
      await assert.rejects(readFile(join(folder, 'sent')))
      assert.equal(await fileCount(), before)
    },
  )

  test('where uploads with keys are off, no key is made and the page says why', async () => {
    const dogs = await app.tenant('dogs')
    const form = { login: 'ada', password: 'a long password' }
    const session = cookieIn(await askPage(app, dogs, 'POST /login', { form }))
    const csrf = tokenIn(await askPage(app, dogs, 'GET /settings', { cookie: session }))
    const headers = { 'sec-fetch-site': 'same-origin', cookie: session, host: dogs.hostname }
    const keys = async () => (await app.send('GET', '/api/5/keys', { headers })).json.data
    const before = await keys()
    await limit(app, dogs, { SERVICE_ENABLE_API_USER: '0' })
    const list = await askPage(app, dogs, 'GET /settings/apps', { cookie: session })
    assert.ok(list.text.includes('turned off uploads with keys') && !list.text.includes('Create settings'))
    for (const path of ['/settings/apps/curl', '/settings/keys']) {
      const made = { cookie: session, form: { csrf, name: 'dead', scope: 'upload' } }
      const refused = await askPage(app, dogs, `POST ${path}`, made)
      assert.equal(refused.status, 403, path)
      assert.ok(refused.text.includes('turned off uploads with keys'), path)
      assert.doesNotMatch(refused.text, /trc_/)
    }
    const typed = { ...headers, 'content-type': 'application/json' }
    const post = (body: unknown) => app.send('POST', '/api/5/keys', { headers: typed, body })
    const refused = await post({ name: 'dead' })
    assert.deepEqual([refused.status, refused.json.code], [403, 'forbidden'])
    assert.match(refused.json.detail, /turned off/)
    assert.deepEqual(await keys(), before)
    assert.equal((await post({ name: 'reads', scope: 'read' })).status, 201)
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
