/** Moves a tenant and is killed at the given step: before or after each thing that lasts. Tells how many there are. */
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import type { Control } from '../../../src/control/index.ts'
import { moveTenant } from '../../../src/tenants/index.ts'

const killAt = Number(process.argv[2])
const id = process.argv[3] ?? ''
let steps = 0
let puts = 0
/** One file is put like the other. */
const mostPuts = 2

async function step(): Promise<void> {
  steps += 1
  if (steps !== killAt) return
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => undefined)
}

const lasting = new Set(
  'changeControl setWriteFence draftCopy place snapshotSite dropStaleRows dropSite put removeAll'.split(' '),
)

/** The same object, but for a step on either side of what lasts. */
function stepped<T extends object>(whole: T): T {
  return new Proxy(whole, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const call = value.bind(target)
      if (name === 'store' || name === 'storage' || name === 'bytes') {
        return async (...words: unknown[]) => stepped(await call(...words))
      }
      if (!lasting.has(String(name)) || (name === 'put' && ++puts > mostPuts)) return call
      return async (...words: unknown[]) => {
        await step()
        const result = await call(...words)
        await step()
        return name === 'draftCopy' ? stepped(result) : result
      }
    },
  })
}

await using app = await openApp(readConfig(process.env, '/'))
const { control } = app
const driven: Control = { ...control, store: stepped(control.store), backends: stepped(control.backends) }
const moved = await moveTenant(driven, id)
console.log(JSON.stringify({ ...moved, steps }))
