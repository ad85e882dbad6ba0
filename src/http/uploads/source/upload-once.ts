import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Actor, RequestOfCaller } from '../../../accounts/index.ts'
import { ownerOfKey } from '../../requests/once/answer-once.ts'
import { readIdempotencyKey } from '../../requests/once/idempotency-key.ts'
import { pathOf } from '../../requests/paths.ts'
import type { UploadForm } from '../read-upload.ts'
import { badParameter } from '../reading/form-errors.ts'

/** Undefined without an Idempotency-Key. Two uploads are equal if their parameters and their bytes are. */
export function uploadOnce(
  request: FastifyRequest,
  actor: Actor,
  form: Pick<UploadForm, 'parameters' | 'source' | 'sourceField'>,
): RequestOfCaller | undefined {
  const read = readIdempotencyKey(request.headers)
  if ('fault' in read) throw badParameter('Idempotency-Key', read.fault)
  if (read.key === undefined) return undefined
  const caller = ownerOfKey(actor, request.client.address)
  return { caller, key: read.key, requestHash: hashOfUpload(pathOf(request.url), actor, form) }
}

/** Contains the album of the key too: the keys of a user may reach different albums. */
function hashOfUpload(
  path: string,
  actor: Actor,
  { parameters, source, sourceField }: Pick<UploadForm, 'parameters' | 'source' | 'sourceField'>,
): string {
  const chosen = [...parameters].filter(([name]) => name !== 'key').sort(([a], [b]) => (a < b ? -1 : 1))
  const album = actor.kind === 'user' ? (actor.albumId ?? '') : ''
  return hash('sha256', JSON.stringify([path, album, chosen, sourceField ?? '', contentOf(source)]))
}

function contentOf(source: UploadForm['source']): readonly unknown[] {
  if (!source || 'refused' in source) return []
  return 'url' in source ? [source.url] : [source.md5, source.sizeBytes, source.name ?? '']
}
