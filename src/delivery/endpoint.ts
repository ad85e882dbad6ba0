import { Type } from 'typebox'
import { refused, siteRefusals } from '../http/openapi/described-refusal.ts'
import { mostHeaderBytes } from '../http/responses/errors.ts'
import { addressEnded } from '../http/responses/file-errors.ts'
import type { SiteEndpoint } from '../http/site-route.ts'
import { fileDamaged, fileNotFound } from '../media/index.ts'
import { getFile, prefetchFile } from './get-file.ts'

export const file: SiteEndpoint = {
  tag: 'Files',
  summary: 'Read the bytes of a file or a variant',
  description:
    'Served to every caller who knows the path. With the setting `protect_bytes`, private ' +
    'files and files in private albums and albums ' +
    'with a password need a signed address. Conditional requests and single ranges are ' +
    'supported. `HEAD` gets only the headers.',
  access: 'anyone',
  params: Type.Object({
    path: Type.String({
      maxLength: mostHeaderBytes,
      description: 'The path below `/images/`, slashes included: `2026/11/15/cat.png`, `cat.th.png`',
    }),
  }),
  responses: {
    200: {
      description: 'The bytes, as `image/…` or `video/…`.',
      contentType: '*/*',
      schema: Type.String({ contentMediaType: 'application/octet-stream' }),
      headers: {
        ETag: 'Identifies the bytes',
        'Cache-Control': 'A year, or until the file expires',
      },
    },
    206: {
      description: 'The range that `Range` names.',
      contentType: '*/*',
      schema: Type.String({ contentMediaType: 'application/octet-stream' }),
      headers: { 'Content-Range': 'The range and the size of the file' },
    },
    304: { description: 'The caller’s copy is current.' },
    412: { description: 'A condition does not hold; no body.' },
    416: { description: 'The range is beyond the end; no body.', headers: { 'Content-Range': 'The size' } },
    ...siteRefusals,
    404: refused('There is no such file, or no site at this host name.', fileNotFound()),
    410: refused('The signed address or its share has expired.', addressEnded()),
    503: refused('The bytes cannot be read now.', fileDamaged()),
  },
  handle: getFile,
  readAhead: prefetchFile,
}
