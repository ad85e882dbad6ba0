import { cancelAddress, editOwnAccount, editPreferences, readOwnAccount } from '../../../accounts/index.ts'
import { sendAddressMail } from '../../../http/mails/send-mail.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { changeSite } from '../../../tenants/index.ts'
import { type PageHandler, userOf } from '../../page-call.ts'
import { orRefusal } from '../../refused.ts'
import { accountFaultsOf } from '../account-faults.ts'
import { checkedEmail } from './checked-account.ts'
import { profilePage } from './profile-page.ts'

export const showProfile: PageHandler = async (call) => {
  const { user } = await readOwnAccount(call.site, userOf(call))
  return { page: profilePage(call, { user }) }
}

/**
 * With mail a changed address waits until its owner confirms it. One that waits already gets another mail.
 */
export const saveEmail: PageHandler = async (call) => {
  const { app, site, form, reader } = call
  const email = form.get('email')?.trim() ?? ''
  const edited = await orRefusal(
    (async () => {
      checkedEmail(email)
      const edit = { email, hasMail: app.mailer !== undefined, passwordHash: undefined }
      const { user, mail } = await changeSite(app.control, site, (changing) =>
        editOwnAccount(changing, userOf(call), edit),
      )
      sendAddressMail(call, { to: email, mail, username: user.username })
      return user
    })(),
  )
  // The page itself says that an address waits.
  if (!(edited instanceof Refusal)) return { to: edited.pendingEmail ? '/settings' : '/settings?saved=1' }
  const { status, headers } = responseOfRefusal(edited)
  const faults = accountFaultsOf(reader, edited)
  const { user } = await readOwnAccount(site, userOf(call))
  return { page: profilePage(call, { user, email, faults }), status, headers }
}

/** It only takes back what the user has asked for, so it needs no proof. */
export const cancelEmail: PageHandler = async (call) => {
  await changeSite(call.app.control, call.site, (changing) => cancelAddress(changing, userOf(call)))
  return { to: '/settings?saved=1' }
}

export const savePageKeys: PageHandler = async (call) => {
  const hasLetterKeys = call.form.get('letter-keys') === '1'
  await changeSite(call.app.control, call.site, (changing) =>
    editPreferences(changing, userOf(call), { hasLetterKeys }),
  )
  return { to: '/settings?saved=1' }
}
