import type { Refusal } from '../../../lib/refusal.ts'

/** Collects a short text in UTF-8 from chunks. */
export function collectText(maxBytes: number, refuse: (fault: string) => Refusal) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  let sizeBytes = 0
  const decode = (bytes?: Buffer) => {
    try {
      text += decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw refuse('is not valid UTF-8')
    }
  }

  return {
    push(bytes: Buffer): void {
      sizeBytes += bytes.length
      if (sizeBytes > maxBytes) throw refuse(`is longer than ${maxBytes} bytes`)
      decode(bytes)
    },
    end(): string {
      decode()
      return text
    },
  }
}
