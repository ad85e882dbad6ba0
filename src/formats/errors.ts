import { Refusal } from '../lib/refusal.ts'

export const notDecodable = (cause: unknown) =>
  new Refusal('invalid', 'not-decodable', 'The file is broken or incomplete and cannot be read.', {
    cause,
  })
