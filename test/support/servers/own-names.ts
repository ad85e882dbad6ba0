import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface OwnNames extends AsyncDisposable {
  /** The command that starts a program for which these names count. It needs root. */
  through: readonly string[]
  /** From the next look-up on, the name has this address. */
  lead(name: string, address: string): Promise<void>
}

/** Names that only the programs of a test know: an `/etc/hosts` of their own, in a mount namespace of their own. */
export async function ownNames(): Promise<OwnNames> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-names-'))
  const file = join(folder, 'hosts')
  const names = new Map([['localhost', '127.0.0.1']])
  const write = () => writeFile(file, [...names].map(([name, address]) => `${address} ${name}\n`).join(''))
  await write()
  return {
    through: ['unshare', '-m', 'sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"', file],
    async lead(name, address) {
      names.set(name, address)
      await write()
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
