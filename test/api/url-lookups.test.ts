import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { connect, type Socket } from 'node:net'
import { test } from 'vitest'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { type NameServer, startNameServer } from '../support/servers/name-server.ts'
import { listen } from '../support/servers/url-fetch-tools.ts'
import { until } from '../support/until.ts'
import { picture, refusalOf, type TestTenant, upload } from '../support/uploads.ts'

const refused = [400, 150, 'The URL could not be fetched.']
const busy = [503, 503, 'Too many hostnames are being looked up. Try again in a moment.']

/** The app, a name server that never answers for `*.silent.org`, and a picture behind a name that it knows. */
async function startScene() {
  await using undo = new AsyncDisposableStack()
  const png = await picture()
  const head = `HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: ${png.length}\r\n\r\n`
  const server = undo.use(
    await listen((socket) => {
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from(head), png])))
    }),
  )
  const names = undo.use(
    await startNameServer((name) => {
      if (name.endsWith('.silent.org')) return 'silent'
      return name === 'pictures.intranet' ? { a: ['127.0.0.1'] } : undefined
    }),
  )
  const app = undo.use(
    await startTestApp({
      environment: {
        SERVICE_DNS_SERVERS: names.address,
        SERVICE_UPLOAD_URL_ALLOW: `pictures.intranet:${server.port}`,
      },
    }),
  )
  const all = undo.move()
  return {
    app,
    names,
    url: `http://pictures.intranet:${server.port}/cat.png`,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

const uploadUrl = (app: TestApp, tenant: TestTenant, source: string) =>
  upload(app, tenant, { form: { source } })

const silentUrls = (count: number) =>
  Array.from({ length: count }, (_, place) => `http://n${place}.silent.org/cat.png`)

const silentNames = (names: NameServer) => [...names.names()].filter((name) => name.endsWith('.silent.org'))

test("a site's flood of silent names stops neither another site's URL uploads nor any other look-up", async () => {
  await using scene = await startScene()
  const { app, names, url } = scene
  const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
  let answered = 0
  const flood = silentUrls(64).map(async (silent) => {
    const answer = await uploadUrl(app, cats, silent)
    answered += 1
    return answer
  })
  await until(() => silentNames(names).length >= 8, 'the flood is being looked up')

  const other = await uploadUrl(app, dogs, url)
  assert.equal(other.status, 200, other.text)
  // As the bucket's client and the database's do it.
  await lookup('localhost')
  assert.ok(answered < 64, 'the flood was over before')
  assert.ok(app.app.lookups.slots.inUse <= 8)

  const answers = (await Promise.all(flood)).map((answer) => ({ refusal: refusalOf(answer), answer }))
  const late = answers.filter(({ refusal }) => refusal[0] === 503)
  for (const { refusal } of answers) assert.deepEqual(refusal, refusal[0] === 503 ? busy : refused)
  assert.equal(answers.length - late.length, silentNames(names).length)
  assert.ok(late.length > 0)
  for (const { answer } of late) assert.equal(answer.headers['retry-after'], '5')
  assert.deepEqual([app.app.lookups.slots.inUse, app.app.lookups.slots.waiting], [0, 0])
  assert.equal((await uploadUrl(app, cats, url)).status, 200)
})

test('a caller who leaves frees the look-up at once', async () => {
  await using scene = await startScene()
  const cats = await scene.app.tenant('cats')
  // Where the machine is too slow, look-ups end by themselves meanwhile: that round has shown nothing.
  for (let round = 0; !(await leaveInRound(scene, cats, round)); round += 1);
  assert.equal((await uploadUrl(scene.app, cats, scene.url)).status, 200)
})

/** A look-up of a silent name takes longer by itself. */
const shortestLookupMs = 2_500

/** Eight callers look names up, twelve wait, and all leave. False if it took so long that look-ups may have ended by themselves. */
async function leaveInRound(
  { app, names }: Awaited<ReturnType<typeof startScene>>,
  tenant: TestTenant,
  round: number,
): Promise<boolean> {
  const { slots } = app.app.lookups
  const startedAt = performance.now()
  const isLate = () => performance.now() - startedAt > shortestLookupMs
  const call = (count: number, word: string) =>
    silentUrls(count).map((url) => callUnread(app, tenant, url.replace('//', `//${word}-${round}-`)))
  const looking = call(8, 'looking')
  await until(() => slots.inUse === 8 || isLate(), 'eight look up')
  const waiting = call(12, 'waiting')
  await until(() => slots.waiting === 12 || isLate(), 'twelve wait')

  // Those that wait leave first: a slot that becomes free would go to one of them before its own end is noticed.
  for (const socket of waiting) socket.destroy()
  await until(() => slots.waiting === 0, 'none waits any more')
  const inUse = slots.inUse
  for (const socket of looking) socket.destroy()
  await until(() => slots.inUse === 0, 'nothing is looked up any more')
  if (isLate()) return false
  assert.equal(inUse, 8)
  const asked = silentNames(names).filter((name) => name.startsWith(`waiting-${round}-`))
  assert.deepEqual(asked, [], 'names of callers that waited')
  return true
}

/** Asks for an upload of a URL, and reads no answer. */
function callUnread(app: TestApp, tenant: TestTenant, source: string): Socket {
  const path = `/api/1/upload?${new URLSearchParams({ key: tenant.apiKey, source })}`
  const socket = connect(app.port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${tenant.hostname}\r\n\r\n`)
  return socket
}
