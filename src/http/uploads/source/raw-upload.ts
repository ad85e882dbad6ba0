import type { IncomingMessage } from 'node:http'
import { emptySource } from '../../../media/index.ts'
import { wrongContentType } from '../../responses/errors.ts'
import { readQueryParameters } from '../parameters.ts'
import type { ReadingOptions, UploadForm } from '../read-upload.ts'
import { eachChunk } from '../reading/body-chunks.ts'
import { fileTooBig } from '../reading/form-errors.ts'
import { openSpool } from './spool.ts'

/** Reads an upload whose body is the file itself. Its parameters are in the query; `filename` names the file. */
export async function readRawUpload(
  request: IncomingMessage,
  { spoolFolder, maxBytes, onAlbum }: Pick<ReadingOptions, 'spoolFolder' | 'maxBytes' | 'onAlbum'>,
): Promise<UploadForm & AsyncDisposable> {
  const { headers } = request
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw wrongContentType('The body must not be compressed.')
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw fileTooBig(maxBytes)
  const parameters = new Map(readQueryParameters(request.url ?? ''))
  const name = parameters.get('filename') ?? 'upload'
  parameters.delete('filename')
  const albumId = parameters.get('album_id')
  if (albumId !== undefined) await onAlbum?.(albumId)

  await using opened = new AsyncDisposableStack()
  const spool = opened.use(openSpool(spoolFolder))
  const file = spool.newFile(maxBytes)
  await eachChunk(request, (chunk) => {
    file.write(chunk)
    return file.flush()
  })
  const spooled = await file.finish()
  const source = spooled.sizeBytes === 0 ? { refused: emptySource() } : { ...spooled, name }
  const resources = opened.move()
  return {
    parameters,
    source,
    sourceField: 'source' as const,
    spool,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
