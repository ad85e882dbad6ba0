import type { IncomingMessage } from 'node:http'
import { readFormBody } from './form-body.ts'
import { collectParameters, readQueryParameters } from './parameters.ts'
import { isSourceField, openSourceFields, type Source, type SourceField } from './source-fields.ts'
import { openSpool } from './spool.ts'

export interface ReadingOptions {
  /** Where this upload gets a folder of its own. */
  spoolFolder: string
  /** Of the file, not of the body that brings it. */
  maxBytes: number
}

/** An upload as it was asked for. */
export interface UploadForm {
  /** From the query and the body, all but the source. None is empty. */
  parameters: ReadonlyMap<string, string>
  source: Source | undefined
  /** The field that brought the source. */
  sourceField: SourceField | undefined
  /** Holds the file, and takes what is made on the way; it goes when the upload is disposed. */
  folder: string
}

/** Turns any upload request into parameters and one file on disk, without ever holding the file in memory. */
export async function readUpload(
  request: IncomingMessage,
  { spoolFolder, maxBytes }: ReadingOptions,
): Promise<UploadForm & AsyncDisposable> {
  const query = readQueryParameters(request.url ?? '')
  await using opened = new AsyncDisposableStack()
  const spool = opened.use(openSpool(spoolFolder))
  const sources = openSourceFields(spool, { maxBytes, isImageIgnored: query.has('source') })
  const body = collectParameters()

  await readFormBody(request, {
    maxBytes,
    flush: sources.flush,
    openField: (field, place) =>
      isSourceField(field.name) ? sources.open(field, place) : body.open(field.name),
  })
  offerQuery(query, sources)
  const source = await sources.finish()
  await spool.made

  const parameters = new Map([...query, ...body.values].filter(([name]) => !isSourceField(name)))
  const held = opened.move()
  return {
    ...{ parameters, source, sourceField: sources.bestField(), folder: spool.folder },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** The query is asked only for what the body does not have. */
function offerQuery(query: ReadonlyMap<string, string>, sources: ReturnType<typeof openSourceFields>): void {
  const name = query.has('source') ? 'source' : 'image'
  const text = query.get(name)
  if (text === undefined || sources.bestField() !== undefined) return
  const writer = sources.open({ name, isFile: false, fileName: undefined }, 'query')
  writer.push(Buffer.from(text))
  writer.end()
}
