import type { Control } from '../../control/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import { readLocation } from '../../tenants/index.ts'
import { eachSite } from '../each-site.ts'
import { nameOfSite, sealedAfter } from '../site-records-table.ts'
import type { Installation } from './check.ts'
import type { Note } from './finding.ts'

const pageSize = 500

export async function checkEncryption({ app: { control } }: Installation, note: Note): Promise<void> {
  await checkLocationRecords(control, note)
  for (const table of ['tenant', 'plan'] as const) {
    for (let last: string | undefined = ''; last !== undefined; ) {
      const page: { id: string; env: string }[] = await sealedAfter(
        control.store.control,
        table,
        last,
        pageSize,
      )
      for (const { id, env } of page) {
        if (canDecrypt(() => control.keyRing.unseal(env, `${table} ${id}`))) continue
        const says = `The environment of the ${table} "${id}" cannot be decrypted with the keys of this installation.`
        const todo =
          'Add the key that encrypted it again, behind the key in use; or set the environment again.'
        await note({
          isFault: true,
          ...(table === 'tenant' && { tenant: id }),
          key: `${table} ${id}`,
          says,
          todo,
        })
      }
      last = page.at(-1)?.id
    }
  }
}

/** Location records are encrypted too, because their URLs hold passwords. */
async function checkLocationRecords(control: Control, note: Note): Promise<void> {
  for await (const site of eachSite(control)) {
    try {
      await readLocation(control, site.number)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'cannot-decrypt') throw error
      const todo = 'Add the key that encrypted it again, behind the key in use.'
      const about = { tenant: nameOfSite(site), key: `site ${site.number}` }
      await note({ ...about, isFault: true, says: 'The location of its data cannot be decrypted.', todo })
    }
  }
}

function canDecrypt(unseal: () => string): boolean {
  try {
    unseal()
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
