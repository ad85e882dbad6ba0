import { createOwnKey, listOwnKeys } from '../../../accounts/index.ts'
import { addressOf } from '../../../http/mails/send-mail.ts'
import { badRequest, responseOfRefusal, routeNotFound } from '../../../http/responses/errors.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { changeSite } from '../../../tenants/index.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { orRefusal } from '../../refused.ts'
import { accountFaultsOf } from '../account-faults.ts'
import { type UploadApp, uploadApps } from './app-list.ts'
import { appPage, appsPage } from './apps-page.ts'
import type { AppContext } from './upload-scripts.ts'

export const showApps: PageHandler = async (call) => ({ page: appsPage(call) })

/** Makes a key named after the program, and shows the settings that hold it. It is shown once. */
export const makeApp: PageHandler = async (call) => {
  const app = appOf(call)
  const key = await orRefusal(makeKeyFor(call, app))
  if (key instanceof Refusal) {
    const { status, headers } = responseOfRefusal(key)
    return { page: appsPage(call, accountFaultsOf(call.reader, key).form), status, headers }
  }
  return { page: appPage(call, app, contextOf(call, key)), isSecret: true }
}

/** The settings as a file. The page that shows the key sends it back: it is stored nowhere else. */
export const downloadApp: PageHandler = async (call) => {
  const { file } = appOf(call)
  const key = call.form.get('key') ?? ''
  if (!file) throw routeNotFound()
  if (!/^trc_[A-Za-z0-9]+_[A-Za-z0-9]+$/.test(key)) throw badRequest('key: must be an upload key')
  const { name, text } = file(contextOf(call, key))
  return call.reply
    .headers({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}"`,
      'cache-control': 'no-store',
    })
    .send(text)
}

const mostKeys = 500

async function makeKeyFor(call: PageCall, { name }: UploadApp): Promise<string> {
  const { app, site } = call
  const keys = await listOwnKeys(site, userOf(call), { after: undefined, limit: mostKeys })
  const taken = new Set(keys.map((key) => key.name))
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name} ${number}`
  const noLimits = { expiresAt: undefined, allowedOrigins: [], allowedAddresses: [] }
  const created = await changeSite(app.control, site, (changing) =>
    createOwnKey(changing, userOf(call), { name: free, scope: 'upload', ...noLimits }),
  )
  return created.key
}

function appOf({ params }: PageCall): UploadApp {
  const found = uploadApps.find(({ id }) => id === params.app)
  if (!found) throw routeNotFound()
  return found
}

const contextOf = (call: PageCall, key: string): AppContext => ({
  key,
  siteName: call.site.hostname,
  uploadUrl: addressOf(call, '/api/1/upload'),
})
