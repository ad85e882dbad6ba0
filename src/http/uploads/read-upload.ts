import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Actor, RequestOfCaller } from '../../accounts/index.ts'
import { ownerOfKey } from '../requests/once/answer-once.ts'
import { readIdempotencyKey } from '../requests/once/idempotency-key.ts'
import { pathOf } from '../requests/paths.ts'
import { collectParameters, readQueryParameters } from './parameters.ts'
import { FORM_BYTES, readFormBody } from './reading/form-body.ts'
import { badParameter, fileTooBig } from './reading/form-errors.ts'
import { isSourceField, openSourceFields, type Source, type SourceField } from './source/source-fields.ts'
import { type CountBytes, openSpool, type Spool } from './source/spool.ts'

export interface ReadingOptions {
  /** Parent of this upload's own folder. */
  spoolFolder: string
  /** Of the file, not of the body that contains it. */
  maxBytes: number
  /** Called with the number of bytes before they are stored; may throw a refusal. */
  count?: CountBytes
  /** Awaited before more is read, and at the end with `all`: what was counted must be allowed. */
  settle?: (all?: 'all') => Promise<void> | undefined
  /** Called with the key in the query and with the one in the body, each as soon as it was read. */
  onKey?: (key: string) => Promise<void>
  /** The same for the album. */
  onAlbum?: (albumId: string) => Promise<void>
  /** Called with the parameters that were read before the body was refused. */
  onRefused?: (parameters: ReadonlyMap<string, string>) => void
}

/** An upload request after its body was read. */
export interface UploadForm {
  /** From the query and the body, without the source. None is empty. */
  parameters: ReadonlyMap<string, string>
  source: Source | undefined
  /** The field that holds the source. */
  sourceField: SourceField | undefined
  /** Holds the file and what is made of it; removed when the upload is disposed. */
  spool: Pick<Spool, 'folder' | 'newFile'>
}

/** Reads any upload request into parameters and one file on disk. The file is never in memory as a whole. */
export async function readUpload(
  request: IncomingMessage,
  { spoolFolder, maxBytes, count = () => undefined, settle, onKey, onAlbum, onRefused }: ReadingOptions,
): Promise<UploadForm & AsyncDisposable> {
  const query = readQueryParameters(request.url ?? '')
  await using opened = new AsyncDisposableStack()
  const spool = opened.use(openSpool(spoolFolder, count))
  const isImageIgnored = query.has('source')
  const sources = openSourceFields(spool, { maxBytes, isImageIgnored })
  const body = collectParameters(count)
  const early = watchValues(body.values, [
    ['key', onKey],
    ['album_id', onAlbum],
  ])

  await early.report(query)
  try {
    await readFormBody(request, {
      maxBytes,
      flush: () => early.flush(() => inTurn(settle?.(), sources.flush)),
      openField(field, origin, remainingBytes) {
        if (!isSourceField(field.name)) return body.open(field.name)
        // A file part is not encoded, so the announced length shows that it is too big before it is read.
        const isCounted = field.isFile && !(isImageIgnored && field.name === 'image')
        const isFirst = sources.bestField() === undefined
        if (isCounted && isFirst && remainingBytes > maxBytes + FORM_BYTES) throw fileTooBig(maxBytes)
        return sources.open(field, origin)
      },
    })
    await settle?.('all')
  } catch (error) {
    onRefused?.(new Map([...query, ...body.values]))
    throw error
  }
  offerQuery(query, sources)
  const source = await sources.finish()
  await spool.made

  const parameters = new Map([...query, ...body.values].filter(([name]) => !isSourceField(name)))
  const resources = opened.move()
  return {
    parameters,
    source,
    sourceField: sources.bestField(),
    spool,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const inTurn = (first: Promise<void> | undefined, next: () => Promise<void> | undefined) =>
  first ? first.then(next) : next()

type Watched = readonly [name: string, report: ((value: string) => Promise<void>) | undefined]

/** Reports each of these values of the body once, before more of the body is read. */
function watchValues(values: ReadonlyMap<string, string>, watched: readonly Watched[]) {
  let waiting = watched.filter(([, report]) => report !== undefined)
  async function report(from: ReadonlyMap<string, string>, which = waiting): Promise<void> {
    for (const [name, reportValue] of which) {
      const value = from.get(name)
      if (value !== undefined) await reportValue?.(value)
    }
  }
  return {
    report,
    flush(next: () => Promise<void> | undefined): Promise<void> | undefined {
      const read = waiting.filter(([name]) => values.has(name))
      if (read.length === 0) return next()
      waiting = waiting.filter(([name]) => !values.has(name))
      return report(values, read).then(next)
    },
  }
}

/** The source in the query counts only if the body has none. */
function offerQuery(query: ReadonlyMap<string, string>, sources: ReturnType<typeof openSourceFields>): void {
  const name = query.has('source') ? 'source' : 'image'
  const text = query.get(name)
  if (text === undefined || sources.bestField() !== undefined) return
  const writer = sources.open({ name, isFile: false, fileName: undefined }, 'query')
  writer.push(Buffer.from(text))
  writer.end()
}

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
