/** A field of a form, without its value. */
export interface Field {
  name: string
  /** Whether the value is the bytes of a file and not a text. */
  isFile: boolean
  fileName: string | undefined
}

/**
 * Takes a value in chunks. The bytes of a text may be overwritten once `push` returns; of the bytes of a file the writer
 * takes ownership.
 */
export interface FieldWriter {
  push(bytes: Buffer): void
  end(): void
}

/** Called for each field when its value begins, after the value before it has ended. */
export type OpenField = (field: Field) => FieldWriter

/** Reads a form from chunks of any size; `end` is called after the last. */
export interface FormParser {
  push(chunk: Buffer): void
  end(): void
}

export const droppedField: FieldWriter = { push: () => undefined, end: () => undefined }
