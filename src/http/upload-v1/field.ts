/** One field of a form, before its value. */
export interface Field {
  name: string
  /** Whether its value is a file's bytes and not a text. */
  isFile: boolean
  fileName: string | undefined
}

/**
 * Takes a value piece by piece. The bytes of a text belong to the caller again once `push` returns; those of a file are
 * given away.
 */
export interface FieldWriter {
  push(bytes: Buffer): void
  end(): void
}

/** Told of every field when its value begins, after the value before it has ended. */
export type OpenField = (field: Field) => FieldWriter

/** Reads a form from chunks of any size, and is told when there are no more. */
export interface FormParser {
  push(chunk: Buffer): void
  end(): void
}

export const droppedField: FieldWriter = { push: () => undefined, end: () => undefined }
