import type { Account } from '../../../accounts/index.ts'
import { publicUrl } from '../../../http/addresses/public-url.ts'
import { notify } from '../../../http/mails/send-mail.ts'
import { installTenant, resetUserPassword } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { recordOf } from '../../terminal/table.ts'

export async function install(session: Session, { id, ...account }: Account & { id: string }): Promise<void> {
  await using app = await session.openApp()
  const { tenant, apiKey } = await installTenant(app.control, id, account)
  const { username, email } = account
  const url = publicUrl(app.config, tenant.hostname)
  session.answer({ id, hostname: tenant.hostname, url, admin: { username, email }, api_key: apiKey }, () =>
    recordOf(session.out, [
      {
        rows: [
          ['site', url],
          ['admin', username],
          ['e-mail', email],
          ['upload key', apiKey],
        ],
      },
    ]),
  )
  session.note('Save the upload key now: it is not shown again.')
}

interface PasswordInput {
  id: string
  username: string
  password?: string
}

export async function resetPassword(session: Session, { id, ...input }: PasswordInput): Promise<void> {
  await using app = await session.openApp()
  const { username, password } = await resetUserPassword(app.control, id, input, (site, userId) =>
    notify({ app, site }, { userId, notice: 'password-changed' }),
  )
  const rows = [
    ['user', username],
    ['password', password],
  ] as const
  session.answer({ username, password }, () => recordOf(session.out, [{ rows }]))
}
