import { setImmediate as allTicks } from 'node:timers/promises'
import { Busboy } from '@fastify/busboy'
import { droppedField, type Field, type FieldWriter, type FormParser, type OpenField } from './field.ts'
import { badForm } from './form-errors.ts'
import { isSourceField } from './source-fields.ts'

const MOST_PARTS = 128
const MOST_HEADERS = 32
const MOST_HEADER_BYTES = 8192
/** A line break, two dashes and the longest boundary. */
const MOST_DELIMITER_BYTES = 74
const BOUNDARY = /;[\t ]*boundary=(?:"([^"\\]{1,70})"|([^\t ;,"\\]{1,70}))[\t ]*(?:;|$)/i

/** Reads multipart/form-data, the values of texts and files alike while they come in. */
export function multipartParser(
  openField: OpenField,
  contentType: string,
  onFault: (fault: unknown) => void,
): FormParser {
  const busboy = new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundaryOf(contentType)}"` },
    isPartAFile: () => true,
    limits: { parts: MOST_PARTS, headerPairs: MOST_HEADERS, headerSize: MOST_HEADER_BYTES },
  })
  let isFinished = false
  let failure: unknown
  const fail = (error: unknown) => {
    failure ??= error
    onFault(failure)
  }

  /** Busboy calls us from within its streams, where nobody would catch what we throw. */
  function guarded<T extends unknown[]>(work: (...input: T) => void): (...input: T) => void {
    return (...input) => {
      if (failure !== undefined) return
      try {
        work(...input)
      } catch (error) {
        fail(error)
      }
    }
  }

  busboy.on('file', (name, stream, fileName, _transferEncoding, type) => {
    let writer: FieldWriter = droppedField
    const open = guarded(() => {
      const field = fieldOf(name, fileName, type)
      if (field) writer = openField(field)
    })
    const push = guarded((bytes: Buffer) => writer.push(ourOwn(bytes)))
    const end = guarded(() => writer.end())
    open()
    stream.on('data', push).on('end', end)
    stream.on('error', (error) => fail(badMultipart(error)))
  })
  busboy.on('partsLimit', () => fail(badForm(`The form has more than ${MOST_PARTS} parts.`)))
  busboy.on('error', (error) => fail(badMultipart(error)))
  busboy.on('finish', () => {
    isFinished = true
  })

  /** What Busboy does with its input happens in ticks: what has not come out after them never will. */
  async function settle(isDone: () => boolean): Promise<void> {
    await allTicks()
    if (failure !== undefined) throw failure
    if (!isDone()) throw badMultipart()
  }

  return {
    push(chunk) {
      if (isFinished) return
      try {
        busboy.write(chunk)
      } catch (error) {
        fail(badMultipart(error))
      }
      // What comes out a tick later is dealt with before the next chunk, or at the end.
      if (failure === undefined && busboy.writableLength === 0) return
      return settle(() => busboy.writableLength === 0)
    },
    async end() {
      busboy.end()
      await settle(() => isFinished)
    },
  }
}

/** For what looked like a delimiter at the end of a chunk Busboy hands out memory that it uses again. */
const ourOwn = (bytes: Buffer) => (bytes.length > MOST_DELIMITER_BYTES ? bytes : Buffer.from(bytes))

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw badForm('The content type must name a boundary of 1 to 70 characters.')
  return boundary
}

/** Undefined for what nobody could ask for: a part without a name, or a file that is not the source. */
function fieldOf(name: string | undefined, fileName: string | undefined, type: string): Field | undefined {
  if (name === undefined) return undefined
  // Browsers escape this character alone of those that names can have.
  const sentName = fileName?.replaceAll('%22', '"')
  if (isSourceField(name))
    return { name, isFile: !!sentName || !type.startsWith('text/'), fileName: sentName }
  return sentName ? undefined : { name, isFile: false, fileName: undefined }
}

const badMultipart = (cause?: unknown) => badForm('The form is not valid multipart/form-data.', cause)
