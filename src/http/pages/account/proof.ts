import { checkOwnPassword, recordProof } from '../../../accounts/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { type Html, html } from '../../responses/html.ts'
import { ownPath } from '../own-path.ts'
import { type PageCall, userOf } from '../page-call.ts'
import { textField } from '../parts/controls/field.ts'

/** The field for the password, in forms that need a proof of the last ten minutes; none if there is one. */
export function proofField(
  call: PageCall,
  { fault, id = 'current' }: { fault?: string | undefined; id?: string } = {},
): Html | undefined {
  const { session, reader } = call
  const { words } = reader
  if (session?.isProven) return undefined
  if (!session?.hasPassword) return proofLink(call)
  return textField({
    ...{ label: words.currentPassword, name: 'current', id, hint: words.proofWhy, fault },
    more: { type: 'password', autocomplete: 'current-password', required: true },
  })
}

/** For a user without a password: the proof is given on its own page. */
export const proofLink = ({ reader: { words, path } }: PageCall): Html =>
  html`<p>${words.proofElsewhere} <a href="/prove?to=${encodeURIComponent(ownPath(path))}">${words.proveTitle}</a></p>`

/** Takes the proof that a form brings. Refuses a wrong password; the form is then shown again with what it held. */
export async function takeProof(call: PageCall): Promise<void> {
  const { app, site, form, session } = call
  if (session?.isProven) return
  await checkOwnPassword(site, userOf(call), form.get('current') ?? '')
  await changeSite(app.control, site, (changing) => recordProof(changing, userOf(call)))
}

/** The name of the account for password managers, in forms that ask for a password alone. */
export const hiddenName = ({ session }: PageCall): Html =>
  html`<input name="username" value="${session?.username ?? ''}" type="text" autocomplete="username" readonly hidden>`
