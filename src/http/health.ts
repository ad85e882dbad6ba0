import { Type } from 'typebox'
import type { Endpoint } from './endpoint.ts'

const Status = Type.Object({ status: Type.String() })

export const getLive: Endpoint = {
  summary: 'Tell whether the process answers',
  access: 'open',
  answers: { 200: { description: 'It does.', schema: Status, example: { status: 'live' } } },
  handle: () => async () => ({ status: 'live' }),
}

export const getReady: Endpoint = {
  summary: 'Tell whether the database answers',
  access: 'open',
  answers: {
    200: { description: 'It does.', schema: Status, example: { status: 'ready' } },
    503: { description: 'It does not; send requests elsewhere.' },
  },
  handle: (app) => async () => {
    await app.control.store.check()
    return { status: 'ready' }
  },
}
