import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Endpoint } from '../../http/endpoint.ts'
import { orNull, Text } from '../../http/fields.ts'
import { refused } from '../../http/openapi/described-refusal.ts'
import { Refusal } from '../../lib/refusal.ts'
import { writeTime } from '../../lib/times.ts'
import {
  openExportedArchive,
  readExport,
  removeExport,
  startExport,
  type TenantExport,
  tenantIdForm,
} from '../../tenants/index.ts'
import { bodyRefusals, conflict, noContent, noSuchTenant, signedRefusals } from './responses.ts'
import { idOf, ofTenant } from './wire.ts'

const time = 'UTC, `YYYY-MM-DD HH:MM:SS`'

const ExportObject = Type.Object({
  id: Type.String({ description: 'The id of the export' }),
  state: Type.String({ enum: ['waiting', 'running', 'done', 'failed'], description: 'How far it is' }),
  bytes: orNull(Type.Integer(), 'The size of the archive; null until the export is done'),
  error: orNull(Type.String(), 'Why it has failed; else null'),
  created_at: Type.String({ description: time }),
  finished_at: orNull(Type.String(), `When it was done or has failed, ${time}; else null`),
  expires_at: orNull(Type.String(), `When the archive is deleted, ${time}; null until then`),
})

const writeExport = (found: TenantExport) => ({
  id: found.id,
  state: found.state,
  bytes: found.bytes ?? null,
  error: found.error ?? null,
  created_at: writeTime(found.createdAt),
  finished_at: found.finishedAt ? writeTime(found.finishedAt) : null,
  expires_at: found.expiresAt ? writeTime(found.expiresAt) : null,
})

const exportExample = {
  id: 'Kq3vT0xYb2Lm',
  state: 'done',
  bytes: 3_104_768,
  error: null,
  created_at: '2026-11-18 10:00:00',
  finished_at: '2026-11-18 10:00:07',
  expires_at: '2026-11-19 10:00:07',
}

const waitingExample = {
  ...exportExample,
  state: 'waiting',
  bytes: null,
  finished_at: null,
  expires_at: null,
}

const ofExport = Type.Object({
  id: Type.String({ pattern: tenantIdForm, description: 'The id of the tenant' }),
  export: Type.String({ pattern: '^[A-Za-z0-9]{1,64}$', description: 'The id of the export' }),
})

const exportOf = (request: FastifyRequest): string => (request.params as { export: string }).export

const noSuchExport = refused(
  'There is no such tenant, or no such export of it, or a day has passed since it ended.',
  new Refusal('not-found', 'export-not-found', 'Export not found'),
)

export const postExport: Endpoint = {
  tag: 'Tenants',
  summary: 'Export a tenant',
  description:
    'Begins to write the tenant with its files to one archive, as `tenants export` does. The archive has no ' +
    'secrets without a passphrase. Ask for the export until its state is `done`, then download the archive.',
  access: 'signed',
  params: ofTenant,
  body: Type.Object(
    {
      passphrase: Type.Optional(
        orNull(
          Text({ least: 8, most: 1_000, description: 'Encrypts the secrets in the archive' }),
          'Includes the secrets, encrypted; null leaves them out',
        ),
      ),
    },
    { additionalProperties: false },
  ),
  bodyExample: { passphrase: 'correct horse battery' },
  responses: {
    202: {
      description: 'The export waits or runs.',
      schema: ExportObject,
      example: waitingExample,
      headers: { location: 'The address of the export' },
    },
    ...bodyRefusals,
    404: noSuchTenant,
    409: conflict(
      'The tenant is not installed.',
      'The tenant "cats" is not installed: it has nothing to export.',
    ),
  },
  handle: (app) => async (request, reply) => {
    const { passphrase } = request.checkedBody as { passphrase?: string | null }
    const id = idOf(request)
    const started = await startExport(request.control, id, passphrase ?? undefined)
    app.exports.wake()
    return reply
      .code(202)
      .header('location', `/_/api/4/tenants/${id}/exports/${started.id}`)
      .send(writeExport(started))
  },
}

export const getExport: Endpoint = {
  tag: 'Tenants',
  summary: 'Read an export of a tenant',
  access: 'signed',
  params: ofExport,
  responses: {
    200: { description: 'The export.', schema: ExportObject, example: exportExample },
    ...signedRefusals,
    404: noSuchExport,
  },
  handle: () => async (request) =>
    writeExport(await readExport(request.control, idOf(request), exportOf(request))),
}

export const getExportArchive: Endpoint = {
  tag: 'Tenants',
  summary: 'Download the archive of an export',
  access: 'signed',
  params: ofExport,
  responses: {
    200: {
      description: 'The archive.',
      contentType: 'application/x-tar',
      schema: Type.String({ description: 'A POSIX tar archive' }),
    },
    ...signedRefusals,
    404: noSuchExport,
    409: conflict('The export is not done.', 'The export is running. Ask again when its state is "done".'),
  },
  handle: () => async (request, reply) => {
    const id = idOf(request)
    const { sizeBytes, content } = await openExportedArchive(request.control, id, exportOf(request))
    return reply
      .headers({
        'content-type': 'application/x-tar',
        'content-length': sizeBytes,
        'content-disposition': `attachment; filename="${id}.tar"`,
        'cache-control': 'private, no-store',
      })
      .send(content)
  },
}

export const deleteExportEndpoint: Endpoint = {
  tag: 'Tenants',
  summary: 'Delete an export and its archive',
  description: 'An export that is running is stopped.',
  access: 'signed',
  params: ofExport,
  responses: { 204: noContent, ...signedRefusals, 404: noSuchExport },
  handle: () => async (request, reply) => {
    await removeExport(request.control, idOf(request), exportOf(request))
    return reply.code(204).send()
  },
}
