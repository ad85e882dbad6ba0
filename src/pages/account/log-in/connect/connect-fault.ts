import { responseOfRefusal, routeNotFound } from '../../../../http/responses/errors.ts'
import { endedStepCookie } from '../../../../http/session/session-cookie.ts'
import { html } from '../../../../lib/html.ts'
import { Refusal } from '../../../../lib/refusal.ts'
import type { Words } from '../../../../words/en.ts'
import type { PageAnswer, PageCall } from '../../../page-call.ts'
import { linkButton } from '../../../parts/controls.ts'
import { mark } from '../../../parts/icon.ts'
import { connectFrame } from './connect-page.ts'
import { providerNameIn } from './provider-access.ts'

const texts: Readonly<Record<string, (words: Words) => string>> = {
  'connect-ended': (words) => words.connectEnded,
  'provider-unavailable': (words) => words.connectUnavailable,
  'provider-mistaken': (words) => words.connectMistaken,
  'provider-refused': (words) => words.connectRefused,
  'identity-taken': (words) => words.connectTaken,
  'log-in-too-old': (words) => words.connectTooOld,
  'too-many-connects': (words) => words.connectTooMany,
  'already-connected': (words) => words.connectOther,
  unauthenticated: (words) => words.connectNoEntry,
}

/** The answer, or a page that says why there is none and how to go on. */
export async function orConnectFault(call: PageCall, work: Promise<PageAnswer>): Promise<PageAnswer> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'provider-not-found') throw routeNotFound()
    const text = texts[error.code]?.(call.reader.words)
    if (text === undefined) throw error
    logCause(call, error)
    const { status, headers } = responseOfRefusal(error)
    const cookie = endedStepCookie(call.app, call.request, 'terrace-connect')
    return { page: faultPage(call, text), status, headers: { ...headers, 'set-cookie': cookie } }
  }
}

/** The page tells none of it: it may be about the operator's network. */
export function logCause(call: PageCall, { code, cause }: Refusal): void {
  if (cause === undefined) return
  const chain: string[] = []
  for (
    let at: unknown = cause;
    at !== undefined && chain.length < 5;
    at = at instanceof Error ? at.cause : undefined
  )
    chain.push(at instanceof Error ? at.message : typeof at === 'string' ? at : typeof at)
  const { provider } = call.params
  call.app.log.warn({ site: call.site.number, provider, code, chain }, 'A login provider failed')
}

function faultPage(call: PageCall, text: string): string {
  const { words } = call.reader
  const another = call.session ? '/settings/security' : '/login'
  return connectFrame(
    call,
    call.session ? words.connectFailedHere : words.connectFailed,
    html`<p>${text}</p>
<p class="actions">${linkButton(words.tryAgain, `/connect/${providerNameIn(call)}`)}${linkButton(words.connectAnother, another, { look: 'plain' })}</p>`,
    mark('steps'),
  )
}
