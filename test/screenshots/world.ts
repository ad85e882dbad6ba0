import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AddressMail,
  createSession,
  createUserKey,
  editOwnAccount,
  hashPassword,
  startSignUp,
  userOfName,
} from '../../src/accounts/index.ts'
import { noLimits } from '../../src/accounts/keys/key-rules.ts'
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Control } from '../../src/control/index.ts'
import { startServer } from '../../src/doors.ts'
import { shareUrlOf } from '../../src/http/addresses/public-url.ts'
import type { Imaging } from '../../src/imaging/index.ts'
import { createAlbum, createShareOf, type NewShare } from '../../src/media/index.ts'
import { type ChangingSite, changingSite, deriveSiteKey } from '../../src/site/index.ts'
import { createTenant, installTenant, openSite, readTenant } from '../../src/tenants/index.ts'
import { created } from '../support/clients/resumable.ts'
import { consoleHost } from '../support/console.ts'
import { browserHeaders } from '../support/delivered.ts'
import { freePort, sendRequest } from '../support/harness.ts'
import { multipartOf } from '../support/uploads.ts'
import { seedConsole } from './console-world.ts'
import { seedDashboard } from './dashboard-world.ts'
import { type Drawing, draw } from './draw.ts'
import { seedLook } from './look-world.ts'
import { seedProviders } from './provider-shots.ts'
import { seedQuotas } from './quota-shots.ts'
import { seedOrder } from './selection-world.ts'
import { seedPages } from './site-shots.ts'
import { seedSites, seedStates } from './state-shots.ts'

export const hostname = 'harbour.test'
/** A site without guests. */
export const membersHostname = 'members.test'

/** Every picture is taken at this moment. */
const noon = new Date('2026-11-16T12:00:00Z')

interface WorldOptions {
  /** Those of the tests; decoders of its own if undefined. */
  decoders?: Imaging | undefined
  /** How many files the lists have. */
  listed?: number
}

/** A site with files of every sort. */
export async function startWorld({ decoders, listed = 64 }: WorldOptions = {}) {
  await using undo = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'terrace-screenshots-'))
  undo.defer(() => rm(dataDir, { recursive: true, force: true }))
  const port = await freePort()
  const environment = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LISTEN: `127.0.0.1:${port}`,
    SERVICE_LOG_LEVEL: 'silent',
    SERVICE_DEVELOPMENT: '1',
    SERVICE_CONSOLE_HOSTNAME: consoleHost,
    // No mail is sent, but the pages are those of a site that sends some.
    SERVICE_ENABLE_SIGNUP: '1',
    SERVICE_SMTP_URL: 'smtp://127.0.0.1:1',
    // The clock stands still, so that the minute of a rate would never end.
    SERVICE_RATE_READS: '0',
    SERVICE_RATE_WRITES: '0',
    SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0',
  }
  let now = noon
  const app = undo.use(await openApp(readConfig(environment, '/'), { now: () => now }, { imaging: decoders }))
  undo.use(await startServer(app))
  await createTenant(app.control, { id: 'harbour', hostname, isEnabled: true })
  const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
  const open = { enable_guest_page_uploads: '1' }
  const { apiKey } = await installTenant(app.control, 'harbour', account, open)
  await createTenant(app.control, { id: 'members', hostname: membersHostname, isEnabled: true })
  await installTenant(app.control, 'members', account)
  const tenant = await readTenant(app.control, 'harbour')
  await using opened = await openSite(app.control, tenant)
  const { id: albumId } = await createAlbum(changingSite(opened), {
    username: 'ada',
    title: 'Winter by the sea',
    privacy: 'password',
    password: 'harbour',
  } as const)

  /** Uploads a drawing and returns its addresses. */
  const upload = async (drawing: Drawing, fields: Record<string, string>) => {
    // Each a moment later: lists by date show the same order each time.
    now = new Date(now.getTime() + 1)
    const file = await draw(drawing)
    const parts = Object.entries(fields).map(([name, value]) => ({ name, value }))
    const form = multipartOf([...parts, { name: 'source', value: file, fileName: `${drawing.name}.jpg` }])
    const { json, text } = await sendRequest(port, 'POST', '/api/1/upload', {
      bytes: form.bytes,
      headers: { host: hostname, 'x-api-key': apiKey, 'content-type': form.type },
    })
    if (!json?.image) throw new Error(text)
    return json.image as { url_viewer: string; delete_url: string }
  }
  // Seen later than it was uploaded.
  now = new Date(noon.getTime() - 26 * 3_600_000)
  const files = {
    wide: await upload(
      { name: 'hills-above-the-harbour', width: 2_400, height: 1_600, colour: '#e9a97e' },
      {
        title: 'Hills above the harbour, last light',
        description:
          'From the old pier, a quarter of an hour after sunset.\nNo filter, a little rain on the lens.',
        tags: 'harbour, dusk, winter',
      },
    ),
    tall: await upload(
      { name: 'lighthouse', width: 1_000, height: 1_500, colour: '#6f9bb0' },
      { title: 'Lighthouse', expiration: 'P2D' },
    ),
    nsfw: await upload(
      { name: 'covered', width: 900, height: 600, colour: '#c9788f' },
      { title: 'Beach', nsfw: '1' },
    ),
    locked: await upload(
      { name: 'locked', width: 900, height: 600, colour: '#b9c7a6' },
      { title: 'Album file', album_id: albumId },
    ),
  }
  for (const [index, name] of ['quay', 'ferry', 'gulls', 'lantern'].entries()) {
    const colour = ['#e0875c', '#8fb0a0', '#7d9cc0', '#cfae6a'][index] ?? '#e0875c'
    const width = index % 2 === 0 ? 1_200 : 700
    await upload({ name, width, height: 800, colour }, { title: name, album_id: albumId })
  }
  const { album } = await seedLook(changingSite(opened), upload, listed)
  const states = await seedStates(changingSite(opened), upload)
  await seedDashboard(changingSite(opened))
  await seedOrder(changingSite(opened), upload)
  await seedPages(changingSite(opened), (await userOfName(opened, 'ada')).id)
  now = noon
  const accounts = await seedProviders(changingSite(opened), {
    userId: (await userOfName(opened, 'ada')).id,
    key: deriveSiteKey(app.requestSecret, opened, 'log-ins'),
  })
  for (const [filename, megabytes] of [
    ['ferry-crossing.mp4', 3],
    ['A walk along the harbour wall at low tide, unedited.mov', 0],
  ] as const)
    await created([{ send: (...call) => sendRequest(port, ...call) }, { hostname }], {
      key: apiKey,
      length: 8_000_000,
      metadata: { filename },
      ...(megabytes > 0 && { bytes: Buffer.alloc(megabytes * 1_000_000, 1) }),
    })
  const key = deriveSiteKey(app.requestSecret, opened, 'share tokens')
  const shareOf = async (share: Omit<NewShare, 'albumId'>) => {
    const made = await createShareOf(changingSite(opened), { albumId, ...share }, key)
    return shareUrlOf({ app, site: opened })(made) ?? ''
  }
  now = new Date(noon.getTime() - 60_000)
  const shares = {
    gallery: await shareOf({ allowsDownload: false }),
    ended: await shareOf({ expiresAt: new Date(now.getTime() + 1) }),
    open: await shareOf({ allowsUpload: true }),
    locked: await shareOf({ passwordHash: await hashPassword('harbour') }),
    letterBox: await shareOf({ allowsUpload: true, allowsDownload: false }),
  }
  // An hour ago, so that pages ask for the proof of the password again.
  now = new Date(noon.getTime() - 3_600_000)
  const member = await startSession(changingSite(opened), account)
  now = noon
  const mailed = await seedMails(app.control)
  const sessions = await seedSites(app.control)
  const quotas = await seedQuotas(app.control)
  const operators = await seedConsole({ app, send: (...call) => sendRequest(port, ...call) })
  const all = undo.move()
  return {
    port,
    files,
    shares,
    album,
    member,
    accounts,
    mailed,
    states,
    sessions,
    quotas,
    operators,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** A sign-up and a new address that wait for their links, at the site without guests. */
async function seedMails(control: Control) {
  await using site = await openSite(control, await readTenant(control, 'members'))
  const { id: userId } = await userOfName(site, 'ada')
  const caller = { kind: 'user', userId, role: 'admin', scope: 'admin', limits: noLimits } as const
  const edit = { email: 'ada@harbour.example', hasMail: true, passwordHash: undefined }
  const { mail } = await editOwnAccount(changingSite(site), caller, edit)
  const asked = { username: 'noor', email: 'noor@example.com' }
  const tokenOf = (sent: AddressMail) => (sent && 'token' in sent ? sent.token : '')
  return { address: tokenOf(mail), signUp: tokenOf(await startSignUp(changingSite(site), asked)) }
}

/** The cookie of a member, with keys and sessions to look at. */
async function startSession(site: ChangingSite, { username }: { username: string }) {
  const { id: userId } = await userOfName(site, username)
  await createUserKey(site, { userId, name: 'Phone', scope: 'upload' })
  await createUserKey(site, { userId, name: 'Backup script', scope: 'read' })
  const open = (userAgent: string, address: string) =>
    createSession(site, {
      userId,
      userAgent,
      address,
      isLasting: true,
      steps: { method: 'password', factor: null },
    })
  await open(
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1',
    '2001:db8::17',
  )
  const { token } = await open(browserHeaders['user-agent'], '192.0.2.44')
  return { name: 'terrace-session', value: token }
}
