import { editOwnAccount, editPreferences, readOwnAccount } from '../../../../accounts/index.ts'
import { Refusal } from '../../../../lib/refusal.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { responseOfRefusal } from '../../../responses/errors.ts'
import { type PageHandler, userOf } from '../../page-call.ts'
import { orRefusal } from '../../refused.ts'
import { accountFaultsOf } from '../account-faults.ts'
import { takeProof } from '../proof.ts'
import { checkedEmail } from './checked-account.ts'
import { profilePage } from './profile-page.ts'

export const showProfile: PageHandler = async (call) => {
  const { user } = await readOwnAccount(call.site, userOf(call))
  return { page: profilePage(call, { email: user.email }) }
}

/** A changed address needs a proof, because who has the mailbox can set a new password. */
export const saveEmail: PageHandler = async (call) => {
  const { app, site, form, reader } = call
  const email = form.get('email')?.trim() ?? ''
  const refusal = await orRefusal(
    (async () => {
      checkedEmail(email)
      await takeProof(call)
      await changeSite(app.control, site, (changing) =>
        editOwnAccount(changing, userOf(call), { email, passwordHash: undefined }),
      )
    })(),
  )
  if (!(refusal instanceof Refusal)) return { to: '/settings?saved=1' }
  const { status, headers } = responseOfRefusal(refusal)
  const faults = accountFaultsOf(reader.words, refusal)
  return { page: profilePage(call, { email, faults }), status, headers }
}

export const savePageKeys: PageHandler = async (call) => {
  const hasLetterKeys = call.form.get('letter-keys') === '1'
  await changeSite(call.app.control, call.site, (changing) =>
    editPreferences(changing, userOf(call), { hasLetterKeys }),
  )
  return { to: '/settings?saved=1' }
}
