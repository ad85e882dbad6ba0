import type { IncomingMessage } from 'node:http'
import { formatSize } from '../common/format.ts'
import { collectParameters } from '../http/uploads/parameters.ts'
import { droppedField, type FieldWriter } from '../http/uploads/reading/field.ts'
import { readFormBody } from '../http/uploads/reading/form-body.ts'
import { openSpool, type Spool, type SpoolWriter } from '../http/uploads/source/spool.ts'
import { Refusal } from '../lib/refusal.ts'
import { emptySource, type SpooledFile } from '../media/index.ts'

/** What one form without script takes: all of it is received before the first file is stored. */
export const mostPlainFiles = 20

export const mostPlainBytes = (mostBytesOfFile: number): number =>
  Math.min(5 * mostBytesOfFile, Number.MAX_SAFE_INTEGER)

/** A file of the form. One that is refused does not keep the others from being stored. */
type PlainFile = { name: string } & ({ spooled: SpooledFile } | { refused: Refusal })

export interface PlainForm {
  /** The fields that are not empty. */
  fields: ReadonlyMap<string, string>
  files: readonly PlainFile[]
  spool: Spool
}

/** Reads the form of the upload page: any number of its files up to a limit, each onto disk. */
export async function readPlainForm(
  request: IncomingMessage,
  { spoolFolder, maxBytes }: { spoolFolder: string; maxBytes: number },
): Promise<PlainForm & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const spool = opened.use(openSpool(spoolFolder))
  const fields = collectParameters()
  const receiving: Receiving[] = []
  await readFormBody(request, {
    maxBytes: mostPlainBytes(maxBytes),
    flush: () => receiving.at(-1)?.writer.flush(),
    openField({ name, isFile, fileName }) {
      if (!isFile) return fields.open(name)
      // Browsers send a part without name and bytes for a file input that is empty.
      if (!fileName) return droppedField
      if (receiving.length === mostPlainFiles) throw tooManyFiles()
      const file: Receiving = { name: fileName, writer: spool.newFile(maxBytes), refused: undefined }
      receiving.push(file)
      return fieldOf(file)
    },
  }).catch((error: unknown) => {
    throw error instanceof Refusal && error.code === 'file-too-big' ? formTooBig(maxBytes) : error
  })
  await spool.made
  const files: PlainFile[] = []
  for (const each of receiving) files.push(await finished(each))
  const resources = opened.move()
  return { fields: fields.values, files, spool, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

interface Receiving {
  name: string
  writer: SpoolWriter
  refused: Refusal | undefined
}

/** The rest of a file that is too big is read and dropped. */
const fieldOf = (file: Receiving): FieldWriter => ({
  push(bytes) {
    if (file.refused) return
    try {
      file.writer.write(bytes)
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== 'too-large') throw error
      file.refused = error
    }
  },
  end: () => undefined,
})

async function finished({ name, writer, refused }: Receiving): Promise<PlainFile> {
  if (refused) {
    await writer[Symbol.asyncDispose]()
    return { name, refused }
  }
  const spooled = await writer.finish()
  return spooled.sizeBytes === 0 ? { name, refused: emptySource() } : { name, spooled: { ...spooled, name } }
}

const tooManyFiles = () =>
  new Refusal(
    'invalid',
    'too-many-files',
    `A form can have at most ${mostPlainFiles} files. Send the others in another form.`,
  )

const formTooBig = (maxBytes: number) =>
  new Refusal(
    'too-large',
    'form-too-big',
    `A form can have at most ${formatSize(mostPlainBytes(maxBytes))} in total. Send the files in several forms.`,
  )
