import { Type } from 'typebox'
import { verifyKey } from '../../control/index.ts'
import type { Endpoint } from '../endpoint.ts'
import { signedRefusals } from './answers.ts'
import { NoBody, writeKey } from './wire.ts'

export const verifyAuth: Endpoint = {
  summary: 'Verify the key and the signature',
  access: 'signed',
  body: NoBody,
  answers: {
    200: {
      description: 'Both are valid; the key is described.',
      schema: Type.Object({
        key: Type.Object({
          id: Type.Integer(),
          name: Type.Union([Type.String(), Type.Null()]),
          created_at: Type.String(),
          expires_at: Type.Union([Type.String(), Type.Null()]),
        }),
      }),
      example: { key: { id: 1, name: 'ci', created_at: '2026-11-15 08:30:00', expires_at: null } },
    },
    ...signedRefusals,
  },
  handle: (app) => async (request) => {
    const key = await verifyKey(app.control, String(request.headers['x-api-key']))
    return { key: writeKey(key) }
  },
}
