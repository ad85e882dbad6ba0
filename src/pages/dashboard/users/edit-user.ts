import {
  createResetLink,
  editUserAs,
  hashPassword,
  hasTotp,
  type Role,
  randomPassword,
  removeTotpAs,
  type UserEdit,
} from '../../../accounts/index.ts'
import { notify, notifyOfEdit, sendResetMail } from '../../../http/mails/send-mail.ts'
import { badRequest, responseOfRefusal } from '../../../http/responses/errors.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { otherVersion, readUserSummary, type UserSummary } from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { readChoices } from '../../../ui/conflicts.ts'
import type { Reader } from '../../../ui/reader.ts'
import { refusalText } from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { type UserView, userPage } from './user-page.ts'

const idIn = ({ params }: PageCall): string => params.id ?? ''

export const showUser: PageHandler = async (call) => ({
  page: await pageOf(call, { person: await readUserSummary(call.site, userOf(call), idIn(call)) }),
})

async function pageOf(call: PageCall, view: Omit<UserView, 'hasSecondStep'>): Promise<string> {
  return userPage(call, { ...view, hasSecondStep: await hasTotp(call.site, view.person.id) })
}

/** If the user was changed since the page was opened, the administrator chooses between both roles first. */
export const postRole: PageHandler = async (call) => {
  const person = await readUserSummary(call.site, userOf(call), idIn(call))
  const { fields, open, isChoice } = readChoices(
    call.form,
    { role: roleIn(call.form) },
    { role: person.role },
  )
  const isOpen = open.length > 0
  if (isChoice || isOpen) {
    const fault = isChoice ? undefined : call.reader.words.conflictOpen
    const page = await pageOf(call, { person, fault, role: fields.role, isRoleOpen: isOpen })
    return { page, status: isChoice ? 200 : 400 }
  }
  return edited(call, fields)
}

export const postBan: PageHandler = (call) => edited(call, { isBanned: call.form.get('ban') === '1' })

export const postPassword: PageHandler = async (call) => {
  const person = await readUserSummary(call.site, userOf(call), idIn(call))
  const path = `/dashboard/users/${person.id}`
  if (call.form.get('by') === 'mail') return mailed(call, person, path)
  const password = randomPassword()
  const changed = await change(call, { passwordHash: await hashPassword(password) })
  if (changed instanceof Refusal) return refused(call, changed)
  return {
    page: await pageOf(call, { person: await readUserSummary(call.site, userOf(call), person.id), password }),
    isSecret: true,
  }
}

/** For a user who has lost the device and the recovery codes. */
export const postResetTotp: PageHandler = async (call) => {
  const { app, site } = call
  const person = await readUserSummary(site, userOf(call), idIn(call))
  const path = `/dashboard/users/${person.id}`
  const removed = await orRefusal(
    changeSite(app.control, site, (changing) => removeTotpAs(changing, userOf(call), person.id)),
  )
  if (removed instanceof Refusal) return refused(call, removed)
  await notify(call, { userId: person.id, notice: 'second-step-off' })
  return { to: `${path}?saved=1` }
}

async function mailed(call: PageCall, { email, isBanned }: UserSummary, path: string): Promise<PageAnswer> {
  const { app, site } = call
  if (!app.mailer || email === undefined || isBanned)
    throw badRequest('by: no link can be sent to this user.')
  const asked = { email, kind: 'staff-reset' } as const
  const made = await changeSite(app.control, site, (changing) => createResetLink(changing, asked))
  if (made) sendResetMail(call, made)
  return { to: `${path}?mailed=1` }
}

async function edited(call: PageCall, edit: UserEdit): Promise<PageAnswer> {
  const changed = await change(call, edit)
  return changed instanceof Refusal
    ? refused(call, changed)
    : { to: `/dashboard/users/${changed.id}?saved=1` }
}

const change = (call: PageCall, edit: UserEdit) =>
  orRefusal(
    (async () => {
      const { id } = await readUserSummary(call.site, userOf(call), idIn(call))
      const changed = await changeSite(call.app.control, call.site, (site) =>
        editUserAs(site, userOf(call), { id, edit, checkVersion: versionCheck(call.form) }),
      )
      await notifyOfEdit(call, changed, { hasNewPassword: edit.passwordHash !== undefined })
      return changed
    })(),
  )

/** Refuses the change of a user whom another request has changed since the form was shown. */
export const versionCheck =
  (form: URLSearchParams) =>
  (version: number): void => {
    if (form.get('version') !== String(version)) throw otherVersion(version)
  }

/** The page of the user with the reason. A user who is not there, or not for the caller, has no page. */
async function refused(call: PageCall, refusal: Refusal): Promise<PageAnswer> {
  if (refusal.kind === 'not-found') throw refusal
  const person = await readUserSummary(call.site, userOf(call), idIn(call))
  const { status, headers } = responseOfRefusal(refusal)
  const fault = userFault(call.reader, refusal)
  const role =
    refusal.code === 'version-differs' ? roles.find((each) => each === call.form.get('role')) : undefined
  const isRoleOpen = role !== undefined && role !== person.role
  return { page: await pageOf(call, { person, fault, role, isRoleOpen }), status, headers }
}

const roles: readonly Role[] = ['user', 'manager', 'admin']

export function roleIn(form: URLSearchParams): Role {
  const role = roles.find((each) => each === form.get('role'))
  if (!role) throw badRequest(`role: must be one of ${roles.join(', ')}`)
  return role
}

export function userFault(reader: Reader, refusal: Refusal): string {
  if (refusal.code === 'last-admin') return reader.words.lastAdmin
  return refusal.code === 'version-differs' ? reader.words.userChanged : refusalText(reader, refusal)
}
