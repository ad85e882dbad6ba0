import {
  checkProvider,
  countConnected,
  createProvider,
  editProvider,
  type Provider,
  type ProviderCheck,
  providerFaults,
  readProvider,
  removeProvider,
} from '../../../../accounts/index.ts'
import { responseOfRefusal } from '../../../../http/responses/errors.ts'
import { Refusal } from '../../../../lib/refusal.ts'
import { otherVersion } from '../../../../media/index.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { differingFields, readChoices } from '../../../../ui/conflicts.ts'
import type { Reader } from '../../../../ui/reader.ts'
import {
  type FormFaults,
  faultsInWords,
  noFaults,
  refusalInWords,
  wholeForm,
} from '../../../../ui/refusal-words.ts'
import { orRefusal } from '../../../../ui/refused.ts'
import { logCause } from '../../../account/log-in/connect/connect-account.ts'
import { providerAccess, providerNameIn } from '../../../account/log-in/connect/provider-access.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../../page-call.ts'
import {
  emptyFields,
  type FormFields,
  fieldsOfForm,
  fieldsOfProvider,
  inputOf,
  secretFault,
} from './provider-form.ts'
import { checkedPage, deletePage, editPage, newPage } from './provider-page.ts'

export const showNewProvider: PageHandler = async (call) => ({
  page: newPage(call, { fields: emptyFields, faults: noFaults }),
})

export const postNewProvider: PageHandler = async (call) => {
  const { form, reader } = call
  const fields = fieldsOfForm(form)
  const faults = faultsInWords(reader.words, providerFaults(inputOf(form), fields.name))
  if (faults.size > 0) return { page: newPage(call, { fields, faults }), status: 400 }
  const input = { name: fields.name, fields: inputOf(form), key: providerAccess(call).key }
  const made = await orRefusal(
    changeSite(call.app.control, call.site, (site) => createProvider(site, userOf(call), input)),
  )
  if (!(made instanceof Refusal)) return { to: `/dashboard/providers/${made.name}?saved=1` }
  const { status, headers } = responseOfRefusal(made)
  return { page: newPage(call, { fields, faults: faultsOfRefusal(reader, made) }), status, headers }
}

export const showProvider: PageHandler = async (call) => {
  const provider = await providerOf(call)
  return { page: editPage(call, { provider, fields: fieldsOfProvider(provider), faults: noFaults }) }
}

/** Changes a provider. If it was changed since the form was opened, the administrator chooses between both first. */
export const postProvider: PageHandler = async (call) => {
  const { form, reader } = call
  const provider = await providerOf(call)
  const { fields, open, isChoice } = readChoices(form, fieldsOfForm(form), fieldsOfProvider(provider))
  if (isChoice) return { page: editPage(call, { provider, fields, faults: noFaults, open }) }
  if (open.length > 0) {
    const faults = wholeForm(reader.words.conflictOpen)
    return { page: editPage(call, { provider, fields, faults, open }), status: 400 }
  }
  const ofRules = faultsInWords(reader.words, providerFaults(inputOf(form)))
  const faults = new Map([...ofRules, ...secretFault(call, form)])
  if (faults.size > 0) return { page: editPage(call, { provider, fields, faults }), status: 400 }
  const change = { name: provider.name, edit: inputOf(form), checkVersion: checkVersion(fields.version) }
  const { key } = providerAccess(call)
  const edited = await orRefusal(
    changeSite(call.app.control, call.site, (site) => editProvider(site, userOf(call), { ...change, key })),
  )
  if (!(edited instanceof Refusal)) return { to: `/dashboard/providers/${provider.name}?saved=1` }
  return refusedEdit(call, edited)
}

/** What was typed stays; after another's change the form holds the new version, and the administrator chooses. */
async function refusedEdit(call: PageCall, refusal: Refusal): Promise<PageAnswer> {
  const provider = await providerOf(call)
  const { status, headers } = responseOfRefusal(refusal)
  const fields = { ...fieldsOfForm(call.form), version: String(provider.version) }
  const faults = faultsOfRefusal(call.reader, refusal)
  const isOvertaken = refusal.code === 'version-differs'
  const open = isOvertaken ? differingFields(formFields(fields), fieldsOfProvider(provider)) : []
  return { page: editPage(call, { provider, fields, faults, open }), status, headers }
}

/** The name stays as it is, and a secret is never shown. */
const formFields = ({ name: _, removesSecret: __, ...fields }: FormFields) => fields

/** Reads the discovery document of the provider as it is stored. */
export const postCheckProvider: PageHandler = async (call) => {
  const provider = await providerOf(call)
  const check = await orCheckRefusal(checkProvider(call.site, provider.name, providerAccess(call)))
  if (check instanceof Refusal) logCause(call, check)
  return { page: checkedPage(call, provider, check) }
}

/** An outage is a finding here, not a failure of the page. */
async function orCheckRefusal(work: Promise<ProviderCheck>): Promise<ProviderCheck | Refusal> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal && /^provider-(unavailable|mistaken)$/.test(error.code)) return error
    throw error
  }
}

export const showDeleteProvider: PageHandler = async (call) => {
  const provider = await providerOf(call)
  return { page: deletePage(call, provider, await countConnected(call.site, provider.name)) }
}

export const postDeleteProvider: PageHandler = async (call) => {
  const removal = {
    name: providerNameIn(call),
    checkVersion: checkVersion(call.form.get('version') ?? ''),
  }
  await changeSite(call.app.control, call.site, (site) => removeProvider(site, userOf(call), removal))
  return { to: '/dashboard/providers?saved=1' }
}

const providerOf = (call: PageCall): Promise<Provider> => readProvider(call.site, providerNameIn(call))

const checkVersion = (expected: string) => (version: number) => {
  if (expected !== String(version)) throw otherVersion(version)
}

function faultsOfRefusal(reader: Reader, refusal: Refusal): FormFaults {
  const { words } = reader
  if (refusal.code === 'provider-exists') return new Map([['name', words.providerNameTaken]])
  if (refusal.code === 'issuer-in-use') return new Map([['issuer', words.providerIssuerInUse]])
  if (refusal.code === 'version-differs') return wholeForm(words.providerChanged)
  return refusalInWords(reader, refusal)
}
