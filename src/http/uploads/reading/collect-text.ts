import { type BrokenRule, broken } from '../../../lib/faults.ts'
import type { Refusal } from '../../../lib/refusal.ts'

/** Collects a short text in UTF-8 from chunks. */
export function collectText(maxBytes: number, refuse: (rule: BrokenRule) => Refusal) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  let sizeBytes = 0
  const decode = (bytes?: Buffer) => {
    try {
      text += decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw refuse(broken('utf8'))
    }
  }

  return {
    push(bytes: Buffer): void {
      sizeBytes += bytes.length
      if (sizeBytes > maxBytes) throw refuse(broken('longerThan', { most: maxBytes }))
      decode(bytes)
    },
    end(): string {
      decode()
      return text
    },
  }
}
