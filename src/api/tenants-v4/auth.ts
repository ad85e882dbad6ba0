import { Type } from 'typebox'
import type { Endpoint } from '../../http/endpoint.ts'
import { signedRefusals } from './responses.ts'
import { KeyObject, writeKey } from './wire.ts'

export const verifyAuth: Endpoint = {
  tag: 'Credentials',
  summary: 'Verify the key and the signature',
  access: 'signed',
  responses: {
    200: {
      description: 'Both are valid; the key is described.',
      schema: Type.Object({ key: KeyObject }),
      example: { key: { id: '1', name: 'ci', created_at: '2026-11-15 08:30:00', expires_at: null } },
    },
    ...signedRefusals,
  },
  handle: () => async (request) => ({ key: writeKey(request.controlKey) }),
}
