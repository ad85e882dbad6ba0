import { createUser, editUser } from '../../src/accounts/index.ts'
import { reportFile } from '../../src/media/index.ts'
import { allTotals, type ChangingSite, changeSettings, dayOf } from '../../src/site/index.ts'

/** People for the dashboard, and files that wait for approval. */
export async function seedDashboard(site: ChangingSite): Promise<void> {
  const password = 'a long password'
  for (const [username, role] of [
    ['berta', 'user'],
    ['carlos', 'manager'],
    ['dora', 'user'],
  ] as const)
    await createUser(site, { username, email: `${username}@example.com`, password, role })
  await editUser(site, { username: 'dora', isBanned: true })
  await seedDays(site)
  await changeSettings(site, new Map([['trash_days', '14']]))
  const chosen = site.db.selectFrom('file').select('id').where('title', 'like', 'Low tide %')
  const waiting = (await chosen.orderBy('title').limit(3).execute()).map(({ id }) => id)
  await site.db.updateTable('file').set({ isApproved: 0 }).where('id', 'in', waiting).execute()
  await seedReports(site)
}

/** Files that were reported, chosen by title because a guest sees none of the album with a password; the second is hidden. */
async function seedReports(site: ChangingSite): Promise<void> {
  const chosen = site.db.selectFrom('file').select('id').where('title', 'like', 'Boathouse %')
  const ids = (await chosen.orderBy('title').limit(2).execute()).map(({ id }) => id)
  const reported = [
    {
      fileId: ids[0] ?? '',
      reason: 'copyright',
      text: 'I took this picture in 2019, and never gave it away.',
    },
    { fileId: ids[1] ?? '', reason: 'privacy', text: 'That is me, and I was not asked.' },
    { fileId: ids[1] ?? '', reason: 'privacy', text: '' },
    { fileId: ids[1] ?? '', reason: 'abuse', text: 'Please take it down.' },
  ] as const
  const guest = { kind: 'guest', hasPublicKey: false } as const
  for (const [index, report] of reported.entries())
    await reportFile(site, guest, { ...report, address: `192.0.2.${index + 1}` })
}

/** Three months of a site that grows, for the charts. */
async function seedDays(site: ChangingSite): Promise<void> {
  const { storageUsed } = await allTotals(site.db)
  const rows = Array.from({ length: 90 }, (_, index) => {
    const day = dayOf(new Date(site.clock.now().getTime() - (index + 1) * 86_400_000))
    const uploads = 4 + Math.round(3 * Math.sin(index / 3)) + (index % 7 === 0 ? 6 : 0)
    return [
      { day, name: 'uploads', value: uploads },
      { day, name: 'storageUsed', value: Math.round(storageUsed / 100) },
      { day, name: 'views', value: uploads * 23 + (index % 5) * 11 },
    ] as const
  })
  await site.db.deleteFrom('dayTotal').execute()
  await site.db.insertInto('dayTotal').values(rows.flat()).execute()
}
