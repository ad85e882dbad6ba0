import { EventEmitter } from 'node:events'
import { deserialize, serialize } from 'node:v8'
import { type App, openApp } from '../../../src/app.ts'
import { startServer } from '../../../src/doors.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import type { Channel } from '../../../src/lib/processes/peer.ts'
import { Processes } from '../../../src/lib/processes/processes.ts'

/** What Node opens between a process and its child: messages are copied, and arrive later in their order. */
export function channelPair(): [Channel & Disposable, Channel] {
  const [one, other] = [new EventEmitter(), new EventEmitter()]
  const end = (to: EventEmitter) => ({
    send(message: unknown, onSent: () => void) {
      const bytes = serialize(message)
      setImmediate(() => {
        to.emit('message', deserialize(bytes))
        onSent()
      })
    },
  })
  const close = () => {
    for (const each of [one, other]) each.emit('disconnect')
  }
  return [Object.assign(one, end(other), { [Symbol.dispose]: close }), Object.assign(other, end(one))]
}

/** A further process of the server, as far as its code can tell; `port` is its own, or that of the first. */
export async function startBeside(
  first: App,
  { port, clock }: { port: number; clock: Clock },
): Promise<{ app: App; port: number } & AsyncDisposable> {
  await using undo = new AsyncDisposableStack()
  const [here, there] = channelPair()
  undo.use(here)
  first.processes.add(here)
  const { listen, ...config } = first.config
  const processes = new Processes(first.processes.count, there)
  const own = { ...config, listen: { ...listen, port }, internalPort: undefined }
  const app = undo.use(await openApp(own, clock, { processes }))
  undo.use(await startServer(app))
  const all = undo.move()
  return { app, port, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
