import { Type } from 'typebox'
import { Closed, orNull, PageOf, Timestamp, writeTime } from '../../../../http/wire/common.ts'
import type { Revision } from '../../../../media/index.ts'

export const RevisionList = PageOf(
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

export const writeRevision = (revision: Revision) => ({
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

export const RevertBody = Type.Object(
  { revision: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'An earlier revision' }) },
  Closed,
)
