import { Refusal } from '../../lib/refusal.ts'
import { emptySource, type SpooledFile } from '../../media/index.ts'
import type { Field, FieldWriter } from './field.ts'
import { badParameter } from './form-errors.ts'
import { sourceText } from './source-text.ts'
import type { Spool, SpoolWriter } from './spool.ts'

export type SourceField = 'source' | 'image'
/** What could not be taken is told in its turn, after the key and the parameters. */
export type Source = SpooledFile | { url: string } | { refused: Refusal }
export type Place = 'query' | 'form' | 'json'

export interface SourceOptions {
  maxBytes: number
  /** Where it is known that there is a source. */
  isImageIgnored: boolean
}

interface Candidate {
  field: Field
  file: SpoolWriter
  url: string | undefined
  refused?: Refusal
}

export const isSourceField = (name: string | undefined): name is SourceField =>
  name === 'source' || name === 'image'

/** Takes all fields that could hold the source, and keeps the one that counts. */
export function openSourceFields(spool: Spool, { maxBytes, isImageIgnored }: SourceOptions) {
  const given = new Set<string>()
  const outdone: SpoolWriter[] = []
  let best: Candidate | undefined

  function open(field: Field, place: Place): FieldWriter {
    const candidate: Candidate = { field, file: spool.newFile(maxBytes), url: undefined }
    const content = contentOf(candidate, place)
    let isBegun = false
    if (!mayBeUnfilled(field)) noteGiven()

    function noteGiven(): void {
      const kind = `${place} ${field.name} ${field.isFile}`
      if (given.has(kind)) throw badParameter(field.name, 'is given twice')
      given.add(kind)
    }

    function begin(): void {
      isBegun = true
      if (mayBeUnfilled(field)) noteGiven()
      const isOutdone = best !== undefined && rankOf(best.field) > rankOf(field)
      if (isOutdone || (isImageIgnored && field.name === 'image')) return
      if (best) outdone.push(best.file)
      best = candidate
    }

    return {
      push(bytes) {
        if (bytes.length > 0 && !isBegun) begin()
        if (best === candidate) attempt(candidate, () => content.push(bytes))
      },
      end() {
        // An empty text counts as absent, but an empty file is what somebody chose.
        if (!isBegun && field.isFile && field.fileName) begin()
        if (best === candidate) attempt(candidate, content.end)
      },
    }
  }

  /** Brings to disk what came in. */
  function flush(): Promise<void> | undefined {
    return outdone.length > 0 ? removeOutdone().then(() => best?.file.flush()) : best?.file.flush()
  }

  async function removeOutdone(): Promise<void> {
    for (const file of outdone.splice(0)) await file[Symbol.asyncDispose]()
  }

  async function finish(): Promise<Source | undefined> {
    await flush()
    if (!best) return undefined
    const { field, file, url, refused } = best
    if (refused) return { refused }
    if (url !== undefined) return { url }
    const spooled = await file.finish()
    if (spooled.sizeBytes === 0) return { refused: emptySource() }
    return { ...spooled, name: field.fileName || undefined }
  }

  return { open, flush, finish, bestField: () => best?.field.name as SourceField | undefined }
}

/** Nobody has to send the rest of a file that is too big. */
function attempt(candidate: Candidate, work: () => void): void {
  if (candidate.refused) return
  try {
    work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind === 'too-large') throw error
    candidate.refused = error
  }
}

function contentOf(candidate: Candidate, place: Place): FieldWriter {
  const { field, file } = candidate
  if (field.isFile) return { push: file.write, end: () => undefined }
  const text = sourceText({ name: field.name, isSpacePlus: place !== 'json', write: file.write })
  return {
    push: text.push,
    end() {
      candidate.url = text.end()
    },
  }
}

/** Browsers send a part without name and bytes for a file that nobody chose. */
const mayBeUnfilled = ({ isFile, fileName }: Field) => fileName === '' || (isFile && !fileName)

const rankOf = ({ name, isFile }: Field) => (name === 'source' ? 2 : 0) + (isFile ? 1 : 0)
