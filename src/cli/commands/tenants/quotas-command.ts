import { formatSize } from '../../../common/format.ts'
import { writeQuotas } from '../../../http/wire/quotas.ts'
import { writeTime } from '../../../lib/times.ts'
import type { Quota, Quotas } from '../../../site/index.ts'
import { readTenantQuotas } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { type Column, tableOf } from '../../terminal/table.ts'

/** Shows how much of its quotas a tenant uses. */
export async function showQuotas(session: Session, { id }: { id: string }): Promise<void> {
  await using app = await session.openApp()
  const quotas = await readTenantQuotas(app.control, id)
  session.answer(writeQuotas(quotas, writeTime), () =>
    quotas.quotas.length === 0
      ? `The tenant ${id} has no quotas.`
      : [tableOf(session.out, columns, quotas.quotas), suspensionText(quotas)].filter(Boolean).join('\n'),
  )
}

const amount = ({ name }: Quota, value: number) =>
  name === 'SERVICE_MAX_TRANSFORMS' ? String(value) : formatSize(value)

const styles = { ok: 'green', alert: 'yellow', reached: 'red', suspended: 'red' } as const

const columns: readonly Column<Quota>[] = [
  { title: 'QUOTA', value: ({ name }) => name, style: () => 'cyan' },
  { title: 'VALUE', value: (quota) => amount(quota, quota.value), isRight: true },
  { title: 'USED', value: (quota) => amount(quota, quota.used), isRight: true },
  { title: 'RESERVED', value: (quota) => amount(quota, quota.reserved), isRight: true },
  { title: 'PERCENT', value: ({ percent }) => `${percent}%`, isRight: true },
  { title: 'STATE', value: ({ state }) => state, style: ({ state }) => styles[state] },
]

function suspensionText({ suspendsAt, suspendedAt }: Quotas): string {
  if (suspendedAt) return `The site has been suspended since ${writeTime(suspendedAt)}.`
  return suspendsAt ? `The site will be suspended at ${writeTime(suspendsAt)}.` : ''
}
