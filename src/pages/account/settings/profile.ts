import {
  cancelAddress,
  editOwnAccount,
  editPreferences,
  type ListedUser,
  readOwnAccount,
  readProfile,
  type Profile as ShownProfile,
} from '../../../accounts/index.ts'
import { sendAddressMail } from '../../../http/mails/send-mail.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { changeSite } from '../../../tenants/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { checkField, submitButton, textField } from '../../../ui/parts/controls.ts'
import { banner } from '../../../ui/parts/states.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { type AccountFaults, accountFaultsOf, checkedEmail } from '../account-faults.ts'
import { hiddenName, proofField } from '../proof.ts'
import { publicProfileForms, type RefusedProfile, saveAbout, savePicture } from './public-profile.ts'
import { formFault, settingsPage, settingsPart } from './settings-frame.ts'

export const showProfile: PageHandler = async (call) => {
  return { page: await profilePageOf(call) }
}

async function profilePageOf(call: PageCall, refused: Partial<Profile> = {}): Promise<string> {
  const { user } = await readOwnAccount(call.site, userOf(call))
  return profilePage(call, { user, shown: await readProfile(call.site, user.id), ...refused })
}

const answer = async (call: PageCall, refusedProfile: RefusedProfile | undefined): Promise<PageAnswer> => {
  if (!refusedProfile) return { to: '/settings?saved=1' }
  const { status, headers } = responseOfRefusal(refusedProfile.refusal)
  return { page: await profilePageOf(call, { refusedProfile }), status, headers }
}

export const postAbout: PageHandler = async (call) => answer(call, await saveAbout(call))

export const postPicture: PageHandler = async (call) => answer(call, await savePicture(call))

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
  return { page: await profilePageOf(call, { email, faults }), status, headers }
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

interface Profile {
  user: ListedUser
  /** As it was entered, if it was refused. */
  email?: string
  faults?: AccountFaults
  /** What others see of the user. */
  shown: ShownProfile
  refusedProfile?: RefusedProfile
}

function profilePage(
  call: PageCall,
  { user, email = user.email ?? '', faults = {}, shown, refusedProfile }: Profile,
): string {
  const { reader, session, app } = call
  const { words } = reader
  const isUnconfirmed = app.mailer && user.email !== undefined && !user.emailConfirmedAt
  const account = html`<form method="post" action="/settings/email" class="stack">
${tokenField(reader)}
${formFault(faults.form)}
${textField({
  label: words.username,
  name: 'name',
  value: session?.username ?? '',
  hint: words.usernameFixed,
  more: { readonly: true, autocomplete: 'username', dir: 'auto' },
})}
${textField({
  label: words.email,
  name: 'email',
  value: email,
  fault: faults.email,
  ...(isUnconfirmed && !user.pendingEmail && { hint: words.emailUnconfirmed }),
  more: { type: 'email', autocomplete: 'email', required: true, autofocus: faults.email !== undefined },
})}
${hiddenName(call)}
${proofField(call)}
<p>${submitButton(isUnconfirmed && !user.pendingEmail ? words.emailSendLink : words.saveEmail)}</p>
</form>`
  const keys = html`<form method="post" action="/settings/page-keys" class="stack">
${tokenField(reader)}
<p class="soft">${words.pageKeysText}</p>
${checkField({ label: words.keysSwitch, name: 'letter-keys', isOn: session?.preferences.hasLetterKeys ?? true })}
<p>${submitButton(words.save, { look: 'plain' })}</p>
</form>`
  return settingsPage(
    call,
    '/settings',
    html`${settingsPart(words.publicProfile, publicProfileForms(call, shown, refusedProfile))}${settingsPart(words.accountPart, html`${pendingPart(call, user)}${account}`)}${settingsPart(words.keyboard, keys)}`,
  )
}

/** The address that waits, with another mail to it and a way back. */
function pendingPart(call: PageCall, { email, pendingEmail }: ListedUser): Html | undefined {
  const { reader } = call
  const { words } = reader
  if (pendingEmail === undefined) return undefined
  const cancel = submitButton(words.emailCancel, {
    look: 'plain',
    more: { formaction: '/settings/email/cancel', formnovalidate: true },
  })
  const text = html`<p class="breaks" dir="auto">${words.emailPending(pendingEmail)}</p>
${email === undefined ? undefined : html`<p>${words.emailPendingText}</p>`}`
  return html`${banner(text)}
<form method="post" action="/settings/email" class="stack">
${tokenField(reader)}
<input name="email" value="${pendingEmail}" type="hidden">
${hiddenName(call)}
${proofField(call, { id: 'current-resend' })}
<p class="actions">${submitButton(words.emailResend, { look: 'plain' })}${cancel}</p>
</form>`
}
