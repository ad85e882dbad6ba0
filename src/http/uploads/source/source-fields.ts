import { broken } from '../../../lib/faults.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { emptySource, type SpooledFile } from '../../../media/index.ts'
import type { Field, FieldWriter } from '../reading/field.ts'
import { badParameter } from '../reading/form-errors.ts'
import { sourceText } from './source-text.ts'
import type { Spool, SpoolWriter } from './spool.ts'

export type SourceField = 'source' | 'image'
/** A refused source is reported in its order, after the key and the parameters. */
export type Source = SpooledFile | { url: string } | { refused: Refusal }
export type SourceOrigin = 'query' | 'form' | 'json'

export interface SourceOptions {
  maxBytes: number
  /** True if the query has a `source`: then a field `image` does not count. */
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

/** Takes all fields that may hold the source, and keeps the one of the highest rank. */
export function openSourceFields(spool: Spool, { maxBytes, isImageIgnored }: SourceOptions) {
  const given = new Set<string>()
  const outranked: SpoolWriter[] = []
  let best: Candidate | undefined

  function open(field: Field, origin: SourceOrigin): FieldWriter {
    const candidate: Candidate = { field, file: spool.newFile(maxBytes), url: undefined }
    const content = contentOf(candidate, origin)
    let isBegun = false
    if (!mayBeUnfilled(field)) markGiven()

    function markGiven(): void {
      const kind = `${origin} ${field.name} ${field.isFile}`
      if (given.has(kind)) throw badParameter(field.name, broken('givenTwice'))
      given.add(kind)
    }

    function begin(): void {
      isBegun = true
      if (mayBeUnfilled(field)) markGiven()
      const isOutranked = best !== undefined && rankOf(best.field) > rankOf(field)
      if (isOutranked || (isImageIgnored && field.name === 'image')) return
      if (best) outranked.push(best.file)
      best = candidate
    }

    return {
      push(bytes) {
        if (bytes.length > 0 && !isBegun) begin()
        if (best === candidate) attempt(candidate, () => content.push(bytes))
      },
      end() {
        // An empty text counts as absent; an empty file with a name was chosen.
        if (!isBegun && field.isFile && field.fileName) begin()
        if (best === candidate) attempt(candidate, content.end)
      },
    }
  }

  /** Writes the received bytes to disk; drops files that another field outranks. */
  function flush(): Promise<void> | undefined {
    return outranked.length > 0 ? removeOutranked().then(() => best?.file.flush()) : best?.file.flush()
  }

  async function removeOutranked(): Promise<void> {
    for (const file of outranked.splice(0)) await file[Symbol.asyncDispose]()
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

/** A refusal waits for its order, unless the file is too big or cannot be stored: then the rest need not be sent. */
function attempt(candidate: Candidate, work: () => void): void {
  if (candidate.refused) return
  try {
    work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind === 'too-large' || error.kind === 'unavailable') throw error
    candidate.refused = error
  }
}

function contentOf(candidate: Candidate, origin: SourceOrigin): FieldWriter {
  const { field, file } = candidate
  if (field.isFile) return { push: file.write, end: () => undefined }
  const text = sourceText({ name: field.name, isSpacePlus: origin !== 'json', write: file.write })
  return {
    push: text.push,
    end() {
      candidate.url = text.end()
    },
  }
}

/** Browsers send a part without name and bytes for a file input that is empty. */
const mayBeUnfilled = ({ isFile, fileName }: Field) => fileName === '' || (isFile && !fileName)

const rankOf = ({ name, isFile }: Field) => (name === 'source' ? 2 : 0) + (isFile ? 1 : 0)
