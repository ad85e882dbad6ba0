import { createHmac, hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../../app.ts'
import { findAnswer, keepAnswer, startCall } from '../../../control/index.ts'
import type { ControlDb } from '../../../db/index.ts'
import { invalidFields, Refusal } from '../../../lib/refusal.ts'
import { openSealedText, sealText } from '../../../lib/sealed-text.ts'
import { cannotRead } from '../../responses/errors.ts'
import { readIdempotencyKey } from './idempotency-key.ts'

/** Stores the answer of a management call for its Idempotency-Key; part of the transaction of the effect. */
type KeepControlAnswer = (db: ControlDb, answer: unknown) => Promise<void>

/**
 * Runs a management call, or returns the answer that an equal one with the same key got. If a lease has ended too early and two
 * equal calls run, the control lock lets one of them take effect, and the other finds its answer once it is refused.
 */
export async function answerControlOnce<Answer>(
  app: App,
  request: FastifyRequest,
  run: (keep: KeepControlAnswer | undefined) => Promise<Answer>,
): Promise<{ answer: Answer; isReplayed: boolean }> {
  const { control } = app
  const call = callOf(request)
  if (!call) return { answer: await run(undefined), isReplayed: false }
  const sealing = createHmac('sha256', app.requestSecret).update('answers of the installation').digest()
  const boundTo = `${call.caller} ${call.key}`

  const started = await startCall(control, call)
  if ('answer' in started) return replayed(started.answer)
  await using _held = started.run
  try {
    const keep: KeepControlAnswer = (db, answer) =>
      keepAnswer(control, db, { ...call, answer: sealText(sealing, JSON.stringify(answer), boundTo) })
    return { answer: await run(keep), isReplayed: false }
  } catch (error) {
    const meanwhile = error instanceof Refusal ? await findAnswer(control, call) : undefined
    if (meanwhile !== undefined) return replayed(meanwhile)
    throw error
  }

  function replayed(sealed: string): { answer: Answer; isReplayed: true } {
    const text = openSealedText(sealing, sealed, boundTo)
    if (text === undefined) throw cannotRead('The stored answer was sealed with another secret.')
    return { answer: JSON.parse(text), isReplayed: true }
  }
}

/** Undefined without an Idempotency-Key. */
function callOf({ headers, method, url, controlKey, checkedBody }: FastifyRequest) {
  const read = readIdempotencyKey(headers)
  if ('fault' in read) throw invalidFields([{ field: 'Idempotency-Key', in: 'header', ...read.fault }])
  if (read.key === undefined) return undefined
  const requestHash = hash('sha256', JSON.stringify([method, url, checkedBody]))
  return { caller: `key ${controlKey.id}`, key: read.key, requestHash }
}
