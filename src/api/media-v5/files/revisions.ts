import { type Static, Type } from 'typebox'
import type { SiteDb } from '../../../db/index.ts'
import { disconnectSignal } from '../../../http/connection/running-work.ts'
import { Closed, orNull, Timestamp, writeTime } from '../../../http/fields.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { answerSentFile } from '../../../http/uploads/sent-file.ts'
import { sourceOf } from '../../../http/uploads/source/chosen-source.ts'
import { PageOf } from '../../../http/wire/pages.ts'
import {
  checkRevision,
  emptyUploadRequest,
  listRevisions,
  noSuchFile,
  otherType,
  type Revision,
  replaceContent,
  revertFile,
  revisionDamaged,
  revisionNotFound,
  type ShownFile,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaEndpoint } from '../media-endpoint.ts'
import { onceRefusals, refusedAs, scopedRefusals } from '../responses.ts'
import { idOf, ofId, userOf } from '../rules/call-parts.ts'
import { prepareAndChangeOnce } from '../rules/idempotency.ts'
import { answerFile, changedFile, foreignFile, otherVersion, targetOf } from './edit-files.ts'
import { fileForms, fileRefusals } from './file-forms.ts'
import { unknownFile } from './read-files.ts'

const RevisionList = PageOf(
  Type.Object({
    revision: Type.Integer({ description: 'The number of the revision' }),
    is_current: Type.Boolean({ description: 'Whether it is the current revision' }),
    kind: Type.String({ description: 'As in `kinds` of `GET /api/5/me`' }),
    mime: Type.String({ description: 'The content type' }),
    size: Type.Integer({ description: 'In bytes' }),
    width: Type.Integer({ description: 'In pixels' }),
    height: Type.Integer({ description: 'In pixels' }),
    md5: Type.String({ description: 'Of the bytes, in hexadecimal digits' }),
    created_at: Timestamp('When these bytes were uploaded or reverted to'),
    replaced_at: orNull(Type.String(), 'When they were replaced; null for the current revision'),
  }),
)

const writeRevision = (revision: Revision) => ({
  revision: revision.revision,
  is_current: revision.replacedAt === undefined,
  kind: revision.kind,
  mime: revision.mime,
  size: revision.sizeBytes,
  width: revision.width,
  height: revision.height,
  md5: revision.md5,
  created_at: writeTime(revision.createdAt),
  replaced_at: writeTime(revision.replacedAt),
})

const RevertBody = Type.Object(
  { revision: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'An earlier revision' }) },
  Closed,
)

export const putContent: ChangingEndpoint = {
  tag: 'Files',
  summary: 'Replace the bytes of a file',
  description:
    'With all checks of an upload. Id, addresses and texts do not change; the type must be that ' +
    'of the file. The earlier bytes are kept for `trash_days`, count as storage, and can be ' +
    'restored.',
  access: 'write',
  proof: noProof.ownThings,
  requestHeaders: ['IfMatch'],
  params: ofId,
  isBodyUnread: true,
  query: Type.Object({}),
  forms: fileForms({}),
  responses: {
    200: changedFile,
    ...fileRefusals,
    404: unknownFile,
    409: refusedAs(
      'The new bytes are of another type, or the file is in the trash.',
      otherType('image', 'video'),
    ),
    412: otherVersion,
  },
  handle: (call) =>
    answerSentFile(call, async (form, keep) => {
      const { app, site, request } = call
      const caller = userOf(call)
      const signal = disconnectSignal(call.reply)
      const source = await sourceOf(app, site, { actor: caller, form, signal })
      const spooled = typeof source === 'function' ? await source(() => undefined) : source
      const shown = await changeSite(app.control, site, (changing) =>
        replaceContent(changing, caller, {
          target: targetOf(call),
          upload: { spooled, request: emptyUploadRequest, address: request.client.address, signal },
          keep: keep && ((db: SiteDb, replaced: ShownFile) => keep(db, answerFile(call, replaced))),
        }),
      )
      return answerFile(call, shown)
    }),
}

export const getRevisions: MediaEndpoint = {
  tag: 'Files',
  summary: 'List the revisions of a file',
  description: 'The current revision and the earlier ones whose bytes are still stored, newest first.',
  access: 'read',
  params: ofId,
  responses: {
    200: { description: 'The revisions.', schema: RevisionList },
    ...scopedRefusals,
    403: foreignFile,
    404: unknownFile,
  },
  handle: async (call) => {
    const revisions = await listRevisions(call.site, userOf(call), idOf(call, noSuchFile))
    return { status: 200, body: { data: revisions.map(writeRevision), next_cursor: null } }
  },
}

export const postRevert: ChangingEndpoint = {
  tag: 'Files',
  summary: 'Restore the bytes of an earlier revision',
  description:
    'They become a new revision, and the current bytes become an earlier one. Reverting to the ' +
    'current revision changes nothing.',
  access: 'write',
  proof: noProof.ownThings,
  requestHeaders: ['IfMatch'],
  params: ofId,
  body: RevertBody,
  bodyExample: { revision: 1 },
  responses: {
    200: changedFile,
    ...onceRefusals,
    403: foreignFile,
    404: refusedAs('There is no such file, or no such revision of it.', revisionNotFound(1)),
    409: refusedAs(
      'The file is in the trash, or the bytes of that revision are damaged.',
      revisionDamaged(1),
    ),
    412: otherVersion,
  },
  handle: (call) => {
    const { revision } = call.body as Static<typeof RevertBody>
    const target = { ...targetOf(call), revision }
    return prepareAndChangeOnce(
      call,
      () => checkRevision(call.site, userOf(call), target),
      async (site) => answerFile(call, await revertFile(site, userOf(call), target)),
    )
  },
}
