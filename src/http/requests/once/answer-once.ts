import { type Actor, type Caller, type RequestOfCaller, startRequest } from '../../../accounts/index.ts'
import type { App } from '../../../app.ts'
import type { SiteDb } from '../../../db/index.ts'
import { openSealedText, sealText } from '../../../lib/sealed-text.ts'
import type { Site } from '../../../site/index.ts'
import { cannotRead } from '../../responses/errors.ts'
import { siteKey } from '../../site-key.ts'

/** Stores the answer for the request's Idempotency-Key; part of the transaction of the effect. */
export type KeepAnswer<Answer> = (db: SiteDb, answer: Answer) => Promise<void>

export interface AnsweredOnce<Answer> {
  answer: Answer
  /** True if an equal request got this answer before. */
  isReplayed: boolean
}

/**
 * Runs a request, or returns the answer that an equal one with the same key got. Refusals are not kept. Without a key the
 * request runs, and nothing is kept.
 */
export async function answerOnce<Answer>(
  app: App,
  site: Site,
  request: RequestOfCaller | undefined,
  run: (keep: KeepAnswer<Answer> | undefined) => Promise<Answer>,
): Promise<AnsweredOnce<Answer>> {
  if (!request) return { answer: await run(undefined), isReplayed: false }
  const key = siteKey(app, site, 'answers')
  const boundTo = `${request.caller} ${request.key}`
  const started = await startRequest(site, request)
  if ('answer' in started) {
    const text = openSealedText(key, started.answer, boundTo)
    // It cannot be opened if the secret of the installation was changed since.
    if (text === undefined) throw cannotRead('The stored answer was sealed with another secret.')
    return { answer: JSON.parse(text), isReplayed: true }
  }
  await using held = started.run
  const answer = await run((db, kept) => held.complete(db, sealText(key, JSON.stringify(kept), boundTo)))
  return { answer, isReplayed: false }
}

/** A key belongs to its user; that of a guest to the address, and to whether the public key was sent. */
export function ownerOfKey(caller: Actor | Caller, address: string): string {
  if (caller.kind === 'user') return `user ${caller.userId}`
  const hasPublicKey = !('hasPublicKey' in caller) || caller.hasPublicKey
  return `guest ${hasPublicKey ? 'with key' : 'without key'} ${address}`
}
