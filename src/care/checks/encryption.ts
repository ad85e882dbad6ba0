import type { Control } from '../../control/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import { readPlace } from '../../tenants/index.ts'
import type { Installation } from '../check.ts'
import type { Note } from '../finding.ts'
import { eachKnownSite } from '../known-sites.ts'
import { nameOfSite, sealedAfter } from '../known-sites-table.ts'

const pageSize = 500

export async function checkEncryption({ app: { control } }: Installation, note: Note): Promise<void> {
  await checkPlaces(control, note)
  for (const table of ['tenant', 'plan'] as const) {
    for (let last: string | undefined = ''; last !== undefined; ) {
      const page: { id: string; env: string }[] = await sealedAfter(
        control.store.control,
        table,
        last,
        pageSize,
      )
      for (const { id, env } of page) {
        if (opens(() => control.keyRing.unseal(env, `${table} ${id}`))) continue
        const says = `The environment of the ${table} "${id}" cannot be decrypted with the keys at hand.`
        const todo = 'Put back the key that sealed it, behind the one in use; or set the environment anew.'
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

/** Where a site is may be told by a URL with a password in it. */
async function checkPlaces(control: Control, note: Note): Promise<void> {
  for await (const site of eachKnownSite(control)) {
    try {
      await readPlace(control, site.number)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'cannot-decrypt') throw error
      const todo = 'Put back the key that sealed it, behind the one in use.'
      const about = { tenant: nameOfSite(site), key: `site ${site.number}` }
      await note({ ...about, isFault: true, says: 'Where its data are cannot be decrypted.', todo })
    }
  }
}

function opens(unseal: () => string): boolean {
  try {
    unseal()
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
