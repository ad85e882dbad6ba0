import { type Static, Type } from 'typebox'
import { Closed, Whole } from '../../../http/fields.ts'
import { siteKey } from '../../../http/site-key.ts'
import { SigningKeyObject, writeSigningKeys } from '../../../http/wire/signing-key.ts'
import {
  publishSigningKeys,
  readLocation,
  readSigningKeys,
  rotateSigningKey,
} from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaEndpoint } from '../media-endpoint.ts'
import { onceRefusals, scopedRefusals } from '../responses.ts'
import { prepareAndChangeOnce } from '../rules/idempotency.ts'
import { unproven } from '../rules/proof.ts'

const longestKeyOverlapSeconds = 604_800

const RotateKeyBody = Type.Object(
  {
    overlap_seconds: Whole(
      0,
      longestKeyOverlapSeconds,
      `How long addresses that the key before has signed still work: 0 to ${longestKeyOverlapSeconds}`,
    ),
  },
  Closed,
)

export const getSigningKey: MediaEndpoint & Pick<ChangingEndpoint, 'proof'> = {
  tag: 'Settings',
  summary: 'Read the key that signs addresses',
  description: 'With it a program signs addresses of files by itself.',
  access: 'change-settings',
  proof: 'needed',
  responses: {
    200: { description: 'The key, and the one before while it is valid.', schema: SigningKeyObject },
    ...scopedRefusals,
    403: unproven,
  },
  handle: async ({ app, site }) => {
    const keys = await readSigningKeys(app.control, site, siteKey(app, site, 'addresses'))
    return { status: 200, body: writeSigningKeys(keys) }
  },
}

export const postRotateSigningKey: ChangingEndpoint = {
  tag: 'Settings',
  summary: 'Give the site a new key that signs addresses',
  description:
    'New addresses are signed with the new key. Those that the key before has signed work until ' +
    '`previous.ends_at`, also addresses without `e`. There are never more than two keys: another ' +
    'rotation ends the older one at once.',
  access: 'change-settings',
  proof: 'needed',
  body: RotateKeyBody,
  bodyExample: { overlap_seconds: 86_400 },
  responses: {
    200: { description: 'The new key, and the one before.', schema: SigningKeyObject },
    ...onceRefusals,
    403: unproven,
  },
  handle: async (call) => {
    const { app, site, body } = call
    const { overlap_seconds: overlapSeconds } = body as Static<typeof RotateKeyBody>
    const answer = await prepareAndChangeOnce(
      call,
      () => readLocation(app.control, site.number),
      async (changing, record) => {
        const derivedKey = siteKey(app, site, 'addresses')
        const rotation = { record, derivedKey, overlapSeconds }
        const keys = await rotateSigningKey(app.control, changing, rotation)
        return { status: 200, body: writeSigningKeys(keys) }
      },
    )
    // Also if the answer is repeated: the server that made it may have been killed before it had published the keys.
    await publishSigningKeys(app.control, site)
    return answer
  },
}
