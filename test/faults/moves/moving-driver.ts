/**
 * Moves a tenant for each line of input, in an app that is opened for it, and prints how many steps there were: one before
 * and one after each thing that lasts. Is killed at the given step.
 */
import { createInterface } from 'node:readline'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import type { Control } from '../../../src/control/index.ts'
import { moveTenant } from '../../../src/tenants/index.ts'
import type { Moving } from './mover.ts'

/** One file is put like the other. */
const mostPuts = 2

const lasting = new Set(
  'changeControl setWriteFence draftCopy place snapshotSite dropStaleRows dropSite put removeAll'.split(' '),
)

for await (const line of createInterface({ input: process.stdin })) {
  const steps = await moveInSteps(JSON.parse(line))
  console.log(JSON.stringify({ steps }))
}

async function moveInSteps({ id, killAt }: Moving): Promise<number> {
  const counts = { steps: 0, puts: 0 }
  const step = async () => {
    counts.steps += 1
    if (counts.steps !== killAt) return
    process.kill(process.pid, 'SIGKILL')
    await new Promise(() => undefined)
  }

  /** The same object, but for a step on either side of what lasts. */
  const stepped = <T extends object>(whole: T): T =>
    new Proxy(whole, {
      get(target, name) {
        const value = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        const call = value.bind(target)
        if (name === 'store' || name === 'storage' || name === 'bytes') {
          return async (...words: unknown[]) => stepped(await call(...words))
        }
        if (!lasting.has(String(name)) || (name === 'put' && ++counts.puts > mostPuts)) return call
        return async (...words: unknown[]) => {
          await step()
          const result = await call(...words)
          await step()
          return name === 'draftCopy' ? stepped(result) : result
        }
      },
    })

  await using app = await openApp(readConfig(process.env, '/'))
  const { control } = app
  const driven: Control = {
    ...control,
    store: stepped(control.store),
    backends: stepped(control.backends),
  }
  await moveTenant(driven, id)
  return counts.steps
}
