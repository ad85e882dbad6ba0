import { inTransaction } from '../../../db/index.ts'
import { siteKey } from '../../../http/site-key.ts'
import { writeSigningKeys } from '../../../http/wire/signing-key.ts'
import { authoredBy } from '../../../site/index.ts'
import {
  changeSite,
  openSite,
  publishSigningKeys,
  readLocation,
  readSigningKeys,
  readTenant,
  rotateSigningKey,
} from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'

type Written = ReturnType<typeof writeSigningKeys>

const inLines = ({ key, created_at: createdAt, previous }: Written): string =>
  [
    key,
    `It signs addresses since ${createdAt}.`,
    ...(previous ? [`Addresses of the key before, ${previous.key}, work until ${previous.ends_at}.`] : []),
  ].join('\n')

export async function showSigningKey(session: Session, { tenant }: { tenant: string }): Promise<void> {
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  const keys = await readSigningKeys(app.control, site, siteKey(app, site, 'addresses'))
  const written = writeSigningKeys(keys)
  session.answer(written, () => inLines(written))
}

interface RotationInput {
  tenant: string
  overlap_seconds: number
}

export async function rotateSiteSigningKey(
  session: Session,
  { tenant, overlap_seconds: overlapSeconds }: RotationInput,
): Promise<void> {
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  const rotation = {
    record: await readLocation(app.control, site.number),
    derivedKey: siteKey(app, site, 'addresses'),
    overlapSeconds,
  }
  const keys = await changeSite(app.control, authoredBy(site, { kind: 'tool' }), (changing) =>
    inTransaction(changing.db, (db) => rotateSigningKey(app.control, { ...changing, db }, rotation)),
  )
  await publishSigningKeys(app.control, site)
  const written = writeSigningKeys(keys)
  session.answer(written, () => inLines(written))
}
