import { userOfName } from '../../src/accounts/index.ts'
import type { ChangingSite } from '../../src/site/index.ts'
import type { Upload } from './look-world.ts'

const drawings = [
  { name: 'blurred-quay', width: 900, height: 600, colour: '#7d9cc0' },
  { name: 'double-of-a-gull', width: 500, height: 750, colour: '#cfae6a' },
  { name: 'mast-without-a-boat', width: 1_000, height: 500, colour: '#8fb0a0' },
  { name: 'thumb-on-the-lens', width: 800, height: 600, colour: '#c9788f' },
  { name: 'fog', width: 700, height: 700, colour: '#b9c7a6' },
  { name: 'fog-again', width: 900, height: 600, colour: '#6f9bb0' },
]

/** Files in the trash, and a user with a second step. */
export async function seedOrder(site: ChangingSite, upload: Upload): Promise<void> {
  const titles = drawings.map(({ name }) => name.replaceAll('-', ' '))
  for (const [at, drawing] of drawings.entries()) await upload(drawing, { title: titles[at] ?? '' })
  const now = site.clock.now().toISOString()
  await site.db.updateTable('file').set({ deletedAt: now }).where('title', 'in', titles).execute()
  const { id: userId } = await userOfName(site, 'berta')
  // The page asks for a code and gets none, so the secret need not open.
  const totp = { userId, sealedSecret: 'none', lastStep: 0, createdAt: now }
  await site.db.insertInto('totp').values(totp).execute()
}
