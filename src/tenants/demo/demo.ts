import { randomPassword } from '../../accounts/index.ts'
import { type Control, createKey, listKeys } from '../../control/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import { installTenant } from '../lifecycle/install.ts'
import { installedSites } from '../sites-table.ts'
import { createTenant } from '../tenants.ts'
import { countTenants, findTenant } from '../tenants-table.ts'

/** A site to try the service with. Its secrets are shown only once. */
export interface Demo {
  id: string
  hostname: string
  username: string
  password: string
  uploadKey: string
  managementKey: string
}

const id = 'demo'
const hostname = 'localhost'
const username = 'admin'

/** A newcomer looks around and uploads before reading about settings. */
const demoSettings = {
  show_demo_notice: '1',
  listing: 'public',
  enable_guest_page_uploads: '1',
  max_file_size_guest: '100M',
}

/**
 * Creates the demo tenant in an installation that has no tenant yet, or finishes one whose creation was killed.
 * Returns undefined otherwise, or if another server has created it first.
 */
export async function makeDemo(control: Control): Promise<Demo | undefined> {
  if (!(await isWanted(control))) return undefined
  const password = randomPassword()
  try {
    if ((await countTenants(control.store.control)) === 0)
      await createTenant(control, { id, hostname, isEnabled: true })
    const account = { username, email: 'admin@localhost', password }
    const { apiKey } = await installTenant(control, id, account, demoSettings)
    // Last: of several servers only the one that has installed the demo creates a key.
    const { key } = await createKey(control, { name: await freeKeyName(control) })
    return { id, hostname, username, password, uploadKey: apiKey, managementKey: key }
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'conflict') return undefined
    throw error
  }
}

async function isWanted(control: Control): Promise<boolean> {
  const db = control.store.control
  const count = await countTenants(db)
  if (count > 1) return false
  // The kept site of a deleted tenant: the installation is not new.
  if ((await installedSites(db)).length > 0) return false
  return count === 0 || (await findTenant(db, id))?.hostname === hostname
}

async function freeKeyName(control: Control): Promise<string> {
  const taken = new Set((await listKeys(control)).map(({ name }) => name))
  let name = 'first-start'
  for (let number = 2; taken.has(name); number += 1) name = `first-start-${number}`
  return name
}
