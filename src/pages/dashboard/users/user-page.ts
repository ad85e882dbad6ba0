import { mayDo, type Role } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { UserSummary } from '../../../media/index.ts'
import { conflictPart } from '../../../ui/conflicts.ts'
import { tokenField } from '../../../ui/form.ts'
import { codeField, linkButton, selectField, submitButton } from '../../../ui/parts/controls.ts'
import { chip } from '../../../ui/parts/lists.ts'
import type { Words } from '../../../words/en.ts'
import { writeAgo, writeNumber, writeSize } from '../../../words/format.ts'
import { formFault } from '../../account/settings/settings-frame.ts'
import type { PageCall } from '../../page-call.ts'
import { dashboardPage, dashboardSection } from '../dashboard-frame.ts'

export interface UserView {
  person: UserSummary
  fault?: string | undefined
  /** As it was sent. */
  role?: Role | undefined
  /** Another administrator has changed the role meanwhile. */
  isRoleOpen?: boolean
  /** Shown once. */
  password?: string
  hasSecondStep: boolean
}

export function userPage(call: PageCall, view: UserView): string {
  const { person, fault, password, hasSecondStep } = view
  const { words, account } = call.reader
  const isAdministrator = account?.user !== undefined && mayDo(account.user.role, 'manage-users')
  const content = html`${formFault(fault)}${facts(call, person)}
${isAdministrator ? dashboardSection(words.role, roleForm(call, view)) : undefined}
${dashboardSection(person.isBanned ? words.banLift : words.ban, banForm(call, person))}
${isAdministrator ? dashboardSection(words.newPassword, passwordForms(call, person)) : undefined}
${isAdministrator && hasSecondStep ? dashboardSection(words.secondStepReset, secondStepForm(call, person)) : undefined}
${isAdministrator ? dashboardSection(words.deleteUser, html`<p>${words.deleteUserText}</p><p>${linkButton(words.deleteUser, `/dashboard/users/${person.id}/delete`, { look: 'danger' })}</p>`) : undefined}`
  const done = password === undefined ? doneOf(call) : shownOnce(call, password)
  return dashboardPage(call, { part: '/dashboard/users', title: person.username, content, done })
}

const doneOf = ({ query, reader: { words } }: PageCall): Html | undefined =>
  query.get('mailed') === '1' ? html`<p>${words.resetMailed}</p>` : undefined

const shownOnce = ({ reader: { words } }: PageCall, password: string): Html =>
  html`<p><strong>${words.passwordSet}</strong> ${words.keyOnce}</p>
${codeField({ id: 'new-password', label: words.newPassword, text: password, copy: { label: words.copy, name: words.copyPassword } })}`

function facts({ reader, site }: PageCall, person: UserSummary): Html {
  const { words, language } = reader
  const rows: readonly (readonly [string, Html])[] = [
    [words.email, emailOf(words, person)],
    [words.role, html`${words.roles[person.role]}`],
    [
      words.filesTab,
      html`<a href="/dashboard/files?user=${person.username}">${writeNumber(language, person.files)}</a>`,
    ],
    [words.storage, html`${writeSize(language, person.storedBytes)}`],
    [words.joined, html`${writeAgo(language, person.createdAt, site.clock.now()) ?? words.momentsAgo}`],
    ...(person.isBanned ? [[words.state, chip(words.banned, 'danger')] as const] : []),
  ]
  return html`<dl class="person-facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** The address, or that there is none until the user confirms one. */
export const emailOf = (words: Words, { email }: UserSummary): Html =>
  email === undefined
    ? html`<span class="soft">${words.noEmail}</span>`
    : html`<span dir="auto" class="breaks">${email}</span>`

/** Carries the version: a change by another administrator meanwhile is not overwritten. */
const form = ({ reader }: PageCall, { id, version }: UserSummary, verb: string, content: Html): Html =>
  html`<form method="post" action="/dashboard/users/${id}/${verb}" class="stack">${tokenField(reader)}<input name="version" value="${version}" type="hidden">${content}</form>`

function roleForm(call: PageCall, { person, role: sent = person.role, isRoleOpen }: UserView): Html {
  const { words } = call.reader
  const options = (['user', 'manager', 'admin'] as const).map((role) => [role, words.roles[role]] as const)
  return form(
    call,
    person,
    'role',
    html`${conflictPart(words, {
      open: isRoleOpen ? ['role'] : [],
      mine: { role: sent },
      theirs: { role: person.role },
      shown: { role: [words.role, (role) => words.roles[role]] },
    })}
${selectField({ label: words.role, name: 'role', value: sent, options, hint: words.roleHint })}
<p>${submitButton(words.save, { look: 'plain' })}</p>`,
  )
}

function banForm(call: PageCall, person: UserSummary): Html {
  const { words } = call.reader
  const [text, label] = person.isBanned ? [words.banLiftText, words.banLift] : [words.banText, words.ban]
  const button = submitButton(label, {
    look: person.isBanned ? 'plain' : 'danger',
    more: { name: 'ban', value: person.isBanned ? '0' : '1' },
  })
  return form(call, person, 'ban', html`<p>${text}</p><p>${button}</p>`)
}

function passwordForms(call: PageCall, person: UserSummary): Html {
  const { words } = call.reader
  const by = (value: string, label: string) =>
    submitButton(label, { look: 'plain', more: { name: 'by', value } })
  const mail =
    call.app.mailer && person.email !== undefined && !person.isBanned
      ? by('mail', words.resetByMail)
      : undefined
  return form(
    call,
    person,
    'password',
    html`<p>${words.resetUserText}</p><p class="actions">${mail}${by('shown', words.resetShown)}</p>`,
  )
}

const secondStepForm = (call: PageCall, person: UserSummary): Html =>
  form(
    call,
    person,
    'second-step',
    html`<p>${call.reader.words.secondStepResetText}</p><p>${submitButton(call.reader.words.secondStepReset, { look: 'danger' })}</p>`,
  )
