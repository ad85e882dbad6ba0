/** Text with one character for each unit of one, two or four bytes, so that offsets in the text map to offsets in the bytes. */
export interface WideText {
  text: string
  /** A copy of the bytes with these characters replaced by spaces. */
  blanked(spans: readonly { start: number; end: number }[]): Buffer
}

/** Reads UTF-8 (each byte as one character), UTF-16 or UTF-32, detected by the first markup. */
export function readWideText(bytes: Buffer): WideText {
  const { width, isLittleEndian } = unitOf(bytes)
  const space = Buffer.alloc(width)
  space.writeUInt8(0x20, isLittleEndian ? 0 : width - 1)
  return {
    text: decode(bytes, width, isLittleEndian),
    blanked(spans) {
      const copy = Buffer.from(bytes)
      for (const { start, end } of spans) copy.fill(space, start * width, end * width)
      return copy
    },
  }
}

/** Detected by the zero bytes around the first `<`. */
function unitOf(bytes: Buffer): { width: 1 | 2 | 4; isLittleEndian: boolean } {
  const head = bytes.toString('latin1', 0, 256)
  const at = head.indexOf('<')
  const zeros = (from: number, count: number) =>
    from >= 0 && head.slice(from, from + count) === '\0'.repeat(count)
  if (at !== -1 && at % 4 === 0 && zeros(at + 1, 3)) return { width: 4, isLittleEndian: true }
  if (at % 4 === 3 && zeros(at - 3, 3)) return { width: 4, isLittleEndian: false }
  if (at !== -1 && at % 2 === 0 && zeros(at + 1, 1)) return { width: 2, isLittleEndian: true }
  if (at % 2 === 1 && zeros(at - 1, 1)) return { width: 2, isLittleEndian: false }
  return { width: 1, isLittleEndian: true }
}

function decode(bytes: Buffer, width: 1 | 2 | 4, isLittleEndian: boolean): string {
  if (width === 1) return bytes.toString('latin1')
  const units = Math.floor(bytes.length / width)
  const narrow = Buffer.alloc(units * 2)
  // The two low bytes of each unit: markup and digits need no more.
  for (let index = 0; index < units; index++) {
    const at = index * width
    narrow[index * 2] = bytes[isLittleEndian ? at : at + width - 1] ?? 0
    narrow[index * 2 + 1] = bytes[isLittleEndian ? at + 1 : at + width - 2] ?? 0
  }
  return narrow.toString('utf16le')
}
