import { defaultScopes, type Provider, type ProviderFields } from '../../../../accounts/index.ts'
import { type Html, html } from '../../../../lib/html.ts'
import { isSwitchedOn } from '../../../../site/index.ts'
import { conflictPart } from '../../../../ui/conflicts.ts'
import { tokenField } from '../../../../ui/form.ts'
import {
  checkField,
  linkButton,
  selectField,
  submitButton,
  textField,
} from '../../../../ui/parts/controls.ts'
import { type FormFaults, noFaults, textsBesides } from '../../../../ui/refusal-words.ts'
import type { Words } from '../../../../words/en.ts'
import { proofField } from '../../../account/proof.ts'
import { formFault } from '../../../account/settings/settings-frame.ts'
import type { PageCall } from '../../../page-call.ts'

/** As they were sent, or as the provider has them. A secret never comes back. */
export type FormFields = Omit<ProviderFields, 'clientSecret'> & {
  name: string
  version: string
  removesSecret: boolean
}

export const emptyFields: FormFields = {
  name: '',
  title: '',
  issuer: '',
  clientId: '',
  scopes: defaultScopes,
  version: '',
  isEnabled: true,
  isSignUpOpen: false,
  newUserRole: 'user',
  removesSecret: false,
}

export const fieldsOfProvider = (provider: Provider): FormFields => ({
  ...provider,
  version: String(provider.version),
  removesSecret: false,
})

const textIn = (form: URLSearchParams, name: string) => form.get(name)?.trim() ?? ''

export const fieldsOfForm = (form: URLSearchParams): FormFields => ({
  name: textIn(form, 'name'),
  title: textIn(form, 'title'),
  issuer: textIn(form, 'issuer'),
  clientId: textIn(form, 'client_id'),
  scopes: textIn(form, 'scopes'),
  version: textIn(form, 'version'),
  isEnabled: form.get('is_enabled') === '1',
  isSignUpOpen: form.get('is_sign_up_open') === '1',
  newUserRole: form.get('new_user_role') === 'manager' ? 'manager' : 'user',
  removesSecret: form.get('remove_secret') === '1',
})

/** An empty secret leaves the one that is kept, unless it is to be removed. */
export const inputOf = (form: URLSearchParams): ProviderFields => {
  const { name: _, version: __, removesSecret, ...fields } = fieldsOfForm(form)
  const kept = removesSecret ? '' : undefined
  return { ...fields, clientSecret: textIn(form, 'client_secret') || kept }
}

/** A form that brings a secret and removes it means one of the two. */
export const secretFault = ({ reader }: PageCall, form: URLSearchParams): FormFaults =>
  fieldsOfForm(form).removesSecret && textIn(form, 'client_secret') !== ''
    ? new Map([['clientSecret', reader.words.providerSecretEither]])
    : noFaults

interface ProviderForm {
  fields: FormFields
  faults: FormFaults
  /** Fields that another person has changed meanwhile. */
  open?: readonly string[] | undefined
  /** Undefined for a new one. */
  provider?: Provider | undefined
}

const shownFields = ['title', 'name', 'issuer', 'clientId', 'clientSecret', 'scopes']

const onOff = (words: Words) => (isOn: boolean) => (isOn ? words.switchOn : words.switchOff)

const plain = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' } as const

export function providerForm(call: PageCall, { fields, faults, open = [], provider }: ProviderForm): Html {
  const { reader, site } = call
  const { words } = reader
  const hasSecret = provider !== undefined && provider.sealedSecret !== ''
  const faulty = shownFields.find((name) => faults.has(name))
  const focus = (name: string) => ({ autofocus: name === faulty })
  const roles = (['user', 'manager'] as const).map((role) => [role, words.roles[role]] as const)
  const name = textField({
    label: words.providerName,
    name: 'name',
    value: fields.name,
    fault: faults.get('name'),
    hint: words.providerNameHint(`${site.hostname}/connect/…`),
    more: { maxlength: 32, required: true, ...plain, ...focus('name') },
  })
  return html`${formFault(textsBesides(faults, shownFields)[0])}
<form method="post" class="stack wide-form">${tokenField(reader)}<input name="version" value="${fields.version}" type="hidden">
${conflictPart(words, {
  open,
  mine: fields,
  theirs: provider ? fieldsOfProvider(provider) : fields,
  shown: {
    title: [words.providerTitle],
    issuer: [words.providerIssuer],
    clientId: [words.providerClientId],
    scopes: [words.providerScopes],
    isEnabled: [words.providerOn, onOff(words)],
    isSignUpOpen: [words.providerSignUp, onOff(words)],
    newUserRole: [words.providerRole, (role) => words.roles[role]],
  },
})}
${textField({
  label: words.providerTitle,
  name: 'title',
  value: fields.title,
  fault: faults.get('title'),
  hint: words.providerTitleHint,
  more: { maxlength: 64, required: true, dir: 'auto', autocomplete: 'off', ...focus('title') },
})}
${provider ? undefined : name}
${textField({
  label: words.providerIssuer,
  name: 'issuer',
  value: fields.issuer,
  fault: faults.get('issuer'),
  hint: words.providerIssuerHint,
  more: { type: 'url', maxlength: 512, required: true, ...plain, ...focus('issuer') },
})}
${textField({
  label: words.providerClientId,
  name: 'client_id',
  value: fields.clientId,
  fault: faults.get('clientId'),
  more: { maxlength: 256, required: true, ...plain, ...focus('clientId') },
})}
${textField({
  label: words.providerSecret,
  name: 'client_secret',
  fault: faults.get('clientSecret'),
  hint: hasSecret ? words.providerSecretKept : words.providerSecretHint,
  more: {
    type: 'password',
    maxlength: 512,
    ...plain,
    autocomplete: 'new-password',
    ...focus('clientSecret'),
  },
})}
${hasSecret ? checkField({ label: words.providerSecretRemove, name: 'remove_secret', isOn: fields.removesSecret }) : undefined}
${textField({
  label: words.providerScopes,
  name: 'scopes',
  value: fields.scopes,
  fault: faults.get('scopes'),
  hint: words.providerScopesHint,
  more: { maxlength: 512, required: true, ...plain, ...focus('scopes') },
})}
${checkField({ label: words.providerOn, name: 'is_enabled', isOn: fields.isEnabled })}
${checkField({ label: words.providerSignUp, name: 'is_sign_up_open', isOn: fields.isSignUpOpen })}
${isSwitchedOn(site.values, 'SERVICE_ENABLE_SIGNUP') ? undefined : html`<p class="soft">${words.providerSignUpClosed}</p>`}
${selectField({ label: words.providerRole, name: 'new_user_role', value: fields.newUserRole, options: roles })}
${proofField(call)}
<p class="actions">${submitButton(provider ? words.save : words.providerCreate)}${linkButton(words.cancel, '/dashboard/providers', { look: 'quiet' })}</p>
</form>`
}
