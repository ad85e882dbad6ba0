import { Type } from 'typebox'
import { type Quotas, quotaActions, quotaStates } from '../../site/index.ts'
import { orNull } from '../fields.ts'

const Quota = Type.Object({
  limit: Type.String({ description: 'The name of the limit' }),
  value: Type.Integer({ description: 'Its value' }),
  used: Type.Integer({ description: 'How much of it is used, without `reserved`' }),
  reserved: Type.Integer({ description: 'Bytes that unfinished resumable uploads have reserved' }),
  percent: Type.Integer({ description: '`used` and `reserved` as a part of `value`, rounded down' }),
  state: Type.String({
    enum: [...quotaStates],
    description:
      '`alert`: a percent of `SERVICE_QUOTA_ALERT` is reached; `reached`: it is used up, or a request was refused; ' +
      '`suspended`: the site is closed because of it',
  }),
})

export const QuotasObject = Type.Object({
  action: Type.String({ enum: [...quotaActions], description: 'What happens when a quota is used up' }),
  suspends_at: orNull(Type.String(), 'When the site will be suspended, if nothing changes'),
  suspended_at: orNull(Type.String(), 'Since when the site is suspended'),
  data: Type.Array(Quota, { description: 'The quotas that are set, by name' }),
})

/** Each API has times of its own. */
export const writeQuotas = (
  { action, suspendsAt, suspendedAt, quotas }: Quotas,
  writeTime: (at: Date) => string,
) => ({
  action,
  suspends_at: suspendsAt ? writeTime(suspendsAt) : null,
  suspended_at: suspendedAt ? writeTime(suspendedAt) : null,
  data: quotas.map(({ name, ...quota }) => ({ limit: name, ...quota })),
})
