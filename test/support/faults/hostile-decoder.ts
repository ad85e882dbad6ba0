import { closeSync, openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job, Outcome } from '../../../src/imaging/children/job.ts'
import { performJob, serveJobs } from '../../../src/imaging/children/serve-jobs.ts'
import { lockLibvips } from '../../../src/imaging/pixels/libvips.ts'
import { Refusal } from '../../../src/lib/refusal.ts'
import { type Order, orderMark } from './decoder-orders.ts'
import { type Surroundings, tryEscapes } from './sandbox-escapes.ts'

/** A decoder that a file has taken over: a picture is decoded, and an order (`orderFor`) is obeyed. */

lockLibvips()
if (process.argv.includes('--compile')) {
  flushCompileCache()
  process.exit(0)
}
serveJobs(async (job: Job): Promise<Outcome> => {
  const order = readOrder(job.path)
  return order === undefined ? performJob(job) : ((await obey(order, job.path)) as Outcome)
})

function readOrder(path: string): Order | undefined {
  const file = openSync(path, 'r')
  const head = Buffer.alloc(65_536)
  const text = head.toString('utf8', 0, readSync(file, head, 0, head.length, 0))
  closeSync(file)
  return text.startsWith(orderMark) ? JSON.parse(text.slice(orderMark.length)) : undefined
}

/** What the file of an earlier job has left in memory. */
let kept = ''

async function obey({ way, detail }: Order, path: string): Promise<unknown> {
  switch (way) {
    case 'abort':
      return process.abort()
    case 'exit':
      return process.exit(3)
    case 'spin':
      for (;;);
    case 'hang':
      return new Promise(() => {})
    case 'wait':
      await sleep(Number(detail))
      throw new Error('waited')
    case 'eat-memory':
      for (const eaten: Buffer[] = []; ; ) eaten.push(Buffer.alloc(16_777_216, 1))
    case 'answer':
      return JSON.parse(JSON.stringify(detail))
    case 'refuse':
      throw new Refusal('invalid', 'kind-off', 'Refused.', { params: detail as Refusal['params'] })
    case 'try':
      throw new Error(`TRIED ${JSON.stringify(await tryEscapes(detail as Surroundings))} TRIED`)
    case 'keep':
      kept = readFileSync(path, 'utf8')
      if (detail === 'in a file') writeFileSync('kept', kept)
      throw new Error('kept')
    case 'recall':
      throw new Error(`KEPT ${JSON.stringify({ kept, files: readdirSync('.') })} KEPT`)
    default:
      throw new Error(`There is no order "${way}".`)
  }
}
