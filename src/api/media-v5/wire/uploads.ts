import { Type } from 'typebox'
import { Timestamp, writeTime } from '../../../http/wire/common.ts'
import type { ResumableUpload } from '../../../media/index.ts'

export const UnfinishedUploadObject = Type.Object({
  id: Type.String({ description: 'The last part of the address of the upload' }),
  filename: Type.String({ description: 'The name of the file; `upload` if the client gave none' }),
  size: Type.Integer({ description: 'Of the whole file, in bytes' }),
  offset: Type.Integer({ description: 'How many bytes are stored' }),
  created_at: Timestamp('When the upload was created'),
  expires_at: Timestamp('When it ends if no more bytes arrive'),
})

export const writeUnfinishedUpload = (
  { id, lengthBytes, offsetBytes, createdAt, expiresAt }: ResumableUpload,
  filename: string,
) => ({
  id,
  filename,
  size: lengthBytes,
  offset: offsetBytes,
  created_at: writeTime(createdAt),
  expires_at: writeTime(expiresAt),
})
