import { Type } from 'typebox'
import type { ShownSigningKeys } from '../../tenants/index.ts'
import { orNull, Timestamp, writeTime } from '../fields.ts'

const Key = (description: string) => Type.String({ description, pattern: '^[0-9a-f]{64}$' })

export const SigningKeyObject = Type.Object(
  {
    key: Key('The key that signs addresses, 32 bytes in hexadecimal digits'),
    created_at: Timestamp('Since when it is the key of the site'),
    previous: orNull(
      Type.Object({
        key: Key('The key before the last rotation'),
        ends_at: Timestamp('Until when addresses that it signed work'),
      }),
      'Null once it has ended',
    ),
  },
  {
    examples: [
      {
        key: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
        created_at: '2026-11-17T09:30:00.000Z',
        previous: null,
      },
    ],
  },
)

export const writeSigningKeys = ({ key, createdAt, previous }: ShownSigningKeys) => ({
  key: key.toString('hex'),
  created_at: writeTime(createdAt),
  previous: previous ? { key: previous.key.toString('hex'), ends_at: writeTime(previous.endsAt) } : null,
})
