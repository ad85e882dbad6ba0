import { Type } from 'typebox'
import type { Endpoint } from './endpoint.ts'
import { orCannotRead } from './errors.ts'
import { storeAway } from './tenants-v4/answers.ts'

const Status = Type.Object({ status: Type.String({ description: 'One word for it' }) })

export const getLive: Endpoint = {
  tag: 'Health',
  summary: 'Tell whether the process answers',
  access: 'open',
  answers: { 200: { description: 'It does.', schema: Status, example: { status: 'live' } } },
  handle: () => async () => ({ status: 'live' }),
}

export const getReady: Endpoint = {
  tag: 'Health',
  summary: 'Tell whether the database and the storage answer',
  access: 'open',
  answers: {
    200: { description: 'They do.', schema: Status, example: { status: 'ready' } },
    503: { ...storeAway, description: 'One does not; send requests elsewhere.' },
  },
  handle: (app) => async () => {
    await orCannotRead(app.control.store.check())
    await app.storage.check()
    return { status: 'ready' }
  },
}
