import { Type } from 'typebox'
import {
  type CreatedPosition,
  createOwnKey,
  editOwnKey,
  keyNameTaken,
  listOwnKeys,
  noSuchKey,
  readOwnKey,
  removeOwnKey,
  rotateOwnKey,
  type UserKey,
} from '../../../accounts/index.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { answerPage, PageOf, pageParameters } from '../../../http/wire/pages.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaCall, MediaEndpoint } from '../media-endpoint.ts'
import {
  bodyRefusals,
  changeRefusals,
  noContent,
  onceRefusals,
  refusedAs,
  scopedRefusals,
} from '../responses.ts'
import { idOf, ofId, userOf } from '../rules/call-parts.ts'
import { changeOnce } from '../rules/idempotency.ts'
import { unproven } from '../rules/proof.ts'
import {
  CreatedKeyObject,
  KeyEditBody,
  KeyObject,
  keyFaults,
  NewKeyBody,
  RotateBody,
  readKeyEdit,
  readNewKey,
  readOverlap,
  writeCreatedKey,
  writeKey,
} from './keys-wire.ts'

const unknownKey = refusedAs('The caller has no such key.', noSuchKey('Zk3Qm8vTxLw2'))

export const getKeys: MediaEndpoint = {
  tag: 'Keys',
  summary: 'List your keys',
  description: 'Newest first. The key itself is never shown again.',
  access: 'account-read',
  query: Type.Object(pageParameters),
  responses: { 200: { description: 'A page of keys.', schema: PageOf(KeyObject) }, ...scopedRefusals },
  handle: (call) =>
    answerPage<UserKey, CreatedPosition>(call, {
      list: 'keys',
      sort: '-created',
      read: (page) => listOwnKeys(call.site, userOf(call), page),
      positionOf: ({ id, createdAt }) => ({ id, createdAt: createdAt.toISOString() }),
      write: writeKey,
    }),
}

export const postKey: ChangingEndpoint = {
  tag: 'Keys',
  summary: 'Create a key',
  description:
    'A key cannot be stronger than the caller: no stronger scope, and within the limits of the ' +
    'calling key. Only this response contains the key itself.',
  access: 'account-write',
  proof: ({ body }) => readNewKey(body).scope !== 'upload',
  body: NewKeyBody,
  bodyExample: { name: 'phone', scope: 'upload', allowed_addresses: ['192.0.2.0/24'] },
  bodyFaults: keyFaults,
  responses: {
    201: {
      description: 'The key.',
      schema: CreatedKeyObject,
      headers: { Location: 'The address of the key' },
    },
    ...onceRefusals,
    403: unproven,
  },
  handle: (call) =>
    changeOnce(call, async (site) => {
      const input = readNewKey(call.body)
      const created = await createOwnKey(site, userOf(call), input)
      const headers = { location: `/api/5/keys/${created.row.id}` }
      return { status: 201, body: writeCreatedKey(created), headers }
    }),
}

export const getKey: MediaEndpoint = {
  tag: 'Keys',
  summary: 'Read a key',
  access: 'account-read',
  params: ofId,
  responses: { 200: { description: 'The key.', schema: KeyObject }, ...scopedRefusals, 404: unknownKey },
  handle: async (call) => {
    const key = await readOwnKey(call.site, userOf(call), idOf(call, noSuchKey))
    return { status: 200, body: writeKey(key) }
  },
}

export const patchKey: ChangingEndpoint = {
  tag: 'Keys',
  summary: 'Change a key',
  description:
    'Omitted fields keep their values; null clears one. Scope and album cannot be changed: create another key.',
  access: 'account-write',
  proof: isStrongKey,
  params: ofId,
  body: KeyEditBody,
  bodyExample: { name: 'old phone', expires_at: '2027-01-31T12:00:00.000Z' },
  bodyFaults: keyFaults,
  responses: {
    200: { description: 'The key.', schema: KeyObject },
    ...bodyRefusals,
    403: unproven,
    404: unknownKey,
    409: refusedAs('The name is taken.', keyNameTaken('phone')),
  },
  handle: async (call) => {
    const edit = { ...readKeyEdit(call.body), id: idOf(call, noSuchKey) }
    const key = await changeSite(call.app.control, call.site, async (site) => {
      return editOwnKey(site, userOf(call), edit)
    })
    return { status: 200, body: writeKey(key) }
  },
}

export const deleteKey: ChangingEndpoint = {
  tag: 'Keys',
  summary: 'Revoke a key',
  description: 'Every server refuses the key from the next request on.',
  access: 'account-write',
  proof: noProof.fewerRights,
  params: ofId,
  responses: { 204: noContent, ...changeRefusals, 404: unknownKey },
  handle: async (call) => {
    const id = idOf(call, noSuchKey)
    await changeSite(call.app.control, call.site, (site) => removeOwnKey(site, userOf(call), id))
    return { status: 204 }
  },
}

export const rotateKey: ChangingEndpoint = {
  tag: 'Keys',
  summary: 'Give a key a new secret',
  description: 'Id, name and limits do not change. With an overlap the old secret still works for that time.',
  access: 'account-write',
  proof: isStrongKey,
  params: ofId,
  body: RotateBody,
  bodyExample: { overlap_seconds: 86_400 },
  responses: {
    200: { description: 'The key with its new secret.', schema: CreatedKeyObject },
    ...onceRefusals,
    403: unproven,
    404: unknownKey,
  },
  handle: (call) =>
    changeOnce(call, async (site) => {
      const rotation = { id: idOf(call, noSuchKey), overlapSeconds: readOverlap(call.body) }
      return { status: 200, body: writeCreatedKey(await rotateOwnKey(site, userOf(call), rotation)) }
    }),
}

/** A key that only uploads is changed without a proof, as it is made without one. */
async function isStrongKey(call: MediaCall): Promise<boolean> {
  const { scope } = await readOwnKey(call.site, userOf(call), idOf(call, noSuchKey))
  return scope !== 'upload'
}
