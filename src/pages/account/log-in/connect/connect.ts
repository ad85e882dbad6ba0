import {
  beginConnect,
  checkProofBy,
  connectSeconds,
  countRequest,
  finishConnect,
  identityTaken,
  type ProviderAccount,
  requireEnabled,
  sealAccount,
  takeFlow,
  uncountRequest,
  userOfAccount,
} from '../../../../accounts/index.ts'
import { endedStepCookie, openStepCookie, stepCookie } from '../../../../http/session/session-cookie.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { ownPath } from '../../../../ui/own-path.ts'
import type { PageAnswer, PageCall, PageHandler } from '../../../page-call.ts'
import { finishLogIn } from '../log-in.ts'
import { orConnectFault } from './connect-account.ts'
import { backAddress, providerAccess, providerNameIn } from './provider-access.ts'

/** Leads to the provider. From a link of another site it leads to the log-in, where a person has to ask for it. */
export const showConnect: PageHandler = async (call) =>
  isFromElsewhere(call) ? { to: questionPath(call) } : orConnectFault(call, begin(call))

/** Who is logged in at the provider would get a session by opening a page of another site. */
const isFromElsewhere = ({ request }: PageCall): boolean =>
  ['cross-site', 'same-site'].includes(String(request.headers['sec-fetch-site']))

const questionPath = ({ query, session }: PageCall): string =>
  `/${session ? 'prove' : 'login'}?to=${encodeURIComponent(ownPath(query.get('to') ?? ''))}`

// The cookie has room for so much.
const longestPath = 500

async function begin(call: PageCall): Promise<PageAnswer> {
  const { app, site, request, query } = call
  const provider = providerNameIn(call)
  const asked = ownPath(query.get('to') ?? '')
  await requireEnabled(site, provider)
  const counted = { purpose: 'connect', address: request.client.address } as const
  const countedAs = await changeSite(app.control, site, (changing) => countRequest(changing, counted))
  const { address, sealed } = await beginConnect(site, {
    ...providerAccess(call),
    provider,
    backTo: backAddress(call, provider),
    to: asked.length > longestPath ? '/' : asked,
    isProof: call.session !== undefined,
    countedAs,
  })
  const cookie = { name: 'terrace-connect', value: sealed, seconds: connectSeconds } as const
  return {
    to: address,
    headers: { 'set-cookie': stepCookie(app, request, cookie), 'cache-control': 'no-store' },
  }
}

/** Where the provider leads back to. */
export const showBack: PageHandler = (call) => orConnectFault(call, finish(call))

async function finish(call: PageCall): Promise<PageAnswer> {
  const { app, site, request, query, session } = call
  const [provider, access] = [providerNameIn(call), providerAccess(call)]
  const returned = { provider, key: access.key, state: query.get('state') ?? '' }
  const flow = await openStepCookie(app, request, {
    name: 'terrace-connect',
    open: (sealed) =>
      changeSite(app.control, site, (changing) => takeFlow(changing, { ...returned, sealed })),
  })
  const address = new URL(`${backAddress(call, provider)}?${query}`)
  const account = await finishConnect(site, { ...access, provider, flow, returned: address })
  const userId = await changeSite(app.control, site, async (changing) => {
    await uncountRequest(changing, flow.countedAs)
    return userOfAccount(changing, account)
  })
  if (userId === undefined) return toChoice(call, account, flow.to)
  // A person who means to connect an account must not end up as another user.
  if (session && session.caller.userId !== userId) throw identityTaken()
  if (session) checkProofBy(site, account)
  const { loggedInAt } = account
  const logIn = { userId, isLasting: false, to: flow.to, loggedInAt, method: 'provider' } as const
  return withEndedFlow(call, await finishLogIn(call, logIn))
}

/** To the page that asks what becomes of the account. */
function toChoice(call: PageCall, account: ProviderAccount, to: string): PageAnswer {
  const { app, site, request } = call
  const value = sealAccount(site, providerAccess(call).key, { ...account, to })
  const cookie = stepCookie(app, request, { name: 'terrace-account', value, seconds: connectSeconds })
  return withEndedFlow(call, {
    to: `/connect/${account.provider}/account`,
    headers: { 'set-cookie': cookie },
  })
}

type Redirect = Extract<PageAnswer, { to: string }>

function withEndedFlow({ app, request }: PageCall, answer: PageAnswer): PageAnswer {
  const { headers = {}, ...rest } = answer as Redirect
  const cookies = [headers['set-cookie'] ?? []].flat()
  const ended = endedStepCookie(app, request, 'terrace-connect')
  return { ...rest, headers: { ...headers, 'set-cookie': [...cookies, ended], 'cache-control': 'no-store' } }
}
