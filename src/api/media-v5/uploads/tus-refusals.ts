import type { DescribedResponse } from '../../../http/endpoint.ts'
import { wrongContentType } from '../../../http/responses/errors.ts'
import {
  beingFinished,
  checksumDiffers,
  otherOffset,
  uploadEnded,
  uploadNotFound,
} from '../../../media/index.ts'
import { refusedAs } from '../responses.ts'
import { tusVersionDiffers } from './tus-headers.ts'

/** Refusals of every call of the protocol. */
export const tusRefusals: Readonly<Record<number, DescribedResponse>> = {
  412: {
    ...refusedAs('`Tus-Resumable` is missing, or names another version.', tusVersionDiffers()),
    headers: { 'Tus-Version': 'The version that the server supports' },
  },
}

/** Refusals of every call that names an upload. */
export const uploadRefusals: Readonly<Record<number, DescribedResponse>> = {
  404: refusedAs('The upload does not exist, or the caller may not see it.', uploadNotFound()),
  410: refusedAs(
    'The upload has ended: it was refused or terminated, or no bytes arrived in time.',
    uploadEnded(),
  ),
}

/** Refusals of bytes that are appended. */
export const bytesRefusals: Readonly<Record<number, DescribedResponse>> = {
  409: refusedAs(
    'Another offset is stored, or another request has taken the upload over.',
    otherOffset(8_388_608, 0),
  ),
  415: refusedAs(
    'The body is of another type.',
    wrongContentType('The body must be declared as application/offset+octet-stream.'),
  ),
  423: refusedAs('A server is processing the file.', beingFinished()),
  460: refusedAs('The bytes do not match `Upload-Checksum`; none were stored.', checksumDiffers('sha256')),
}
