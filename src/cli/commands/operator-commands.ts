import type { App } from '../../app.ts'
import {
  createOperator,
  deleteOperator,
  hasOperator,
  type InvitedOperator,
  type ListedOperator,
  listOperators,
  type OperatorRole,
  resetOperator,
} from '../../control/index.ts'
import { inviteUrl } from '../../http/addresses/console-address.ts'
import { writeTime } from '../../lib/times.ts'
import type { Session } from '../session.ts'
import { type Column, recordOf, tableOf } from '../terminal/table.ts'

interface Named {
  username: string
}

export async function create(session: Session, input: Named & { role: OperatorRole }): Promise<void> {
  await using app = await session.openApp()
  answerInvited(session, app, await createOperator(app.control, input))
}

export async function reset(session: Session, { username }: Named): Promise<void> {
  await using app = await session.openApp()
  answerInvited(session, app, await resetOperator(app.control, { username }))
}

function answerInvited(session: Session, app: App, { operator, token, expiresAt }: InvitedOperator): void {
  const { id, username, role } = operator
  const link = inviteUrl(app.config, token)
  const expires = writeTime(expiresAt)
  session.answer({ id, username, role, link, expires_at: expires }, () => {
    const rows = [
      ['id', id],
      ['username', username],
      ['role', role],
      ['link', link],
      ['expires', expires],
    ] as const
    return recordOf(session.out, [{ rows }])
  })
  session.note('Open the link to set up the account. It works once, for 24 hours, and is not shown again.')
}

const columns: readonly Column<ListedOperator>[] = [
  { title: 'USERNAME', value: ({ username }) => username, style: () => 'cyan' },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'LOGS IN WITH', value: factorsOf, style: ({ isSetUp }) => (isSetUp ? undefined : 'yellow') },
  { title: 'CREATED', value: ({ createdAt }) => writeTime(createdAt), style: () => 'dim' },
  { title: 'LAST LOG-IN', value: ({ lastLoginAt }) => (lastLoginAt ? writeTime(lastLoginAt) : 'never') },
]

function factorsOf({ isSetUp, hasTotp, passkeys }: ListedOperator): string {
  if (!isSetUp) return 'not set up'
  return [...(hasTotp ? ['password and code'] : []), ...(passkeys > 0 ? [`passkeys: ${passkeys}`] : [])].join(
    ', ',
  )
}

export async function list(session: Session): Promise<void> {
  await using app = await session.openApp()
  const operators = await listOperators(app.control)
  session.answerList(operators.map(writeOperator), () => tableOf(session.out, columns, operators), {
    ifEmpty: 'There are no operators yet. Create one: terrace operator:create --username NAME',
  })
}

const writeOperator = ({ id, username, role, isSetUp, passkeys, hasTotp, ...times }: ListedOperator) => ({
  id,
  username,
  role,
  is_set_up: isSetUp,
  passkeys,
  has_totp: hasTotp,
  created_at: writeTime(times.createdAt),
  last_login_at: times.lastLoginAt ? writeTime(times.lastLoginAt) : null,
})

export async function remove(session: Session, input: Named): Promise<void> {
  await using app = await session.openApp()
  const { id, username } = await deleteOperator(app.control, input)
  session.answer({ id, username, deleted: true }, () => `Deleted the operator ${username}.`)
  if (!(await hasOperator(app.control)))
    session.note('No operator is left. Create one: terrace operator:create --username NAME')
}
