export interface XmlAttribute {
  name: string
  /** From its name to the closing quote. */
  start: number
  end: number
  valueAt: number
  valueEnd: number
}

export type XmlToken =
  | {
      type: 'open'
      name: string
      start: number
      end: number
      attributes: XmlAttribute[]
      isEmpty: boolean
    }
  | { type: 'close'; name: string; start: number; end: number }
  /** Text with its entities; CDATA without its delimiters. */
  | { type: 'text'; start: number; end: number }
  /** Comments, processing instructions and declarations, with their delimiters. */
  | { type: 'aside'; start: number; end: number }
  /** Not well-formed from here on; readers differ in how they continue. */
  | { type: 'broken'; start: number; end: number }

const DELIMITERS = [
  { open: '<!--', close: '-->', type: 'aside' },
  { open: '<![CDATA[', close: ']]>', type: 'text' },
  { open: '<?', close: '?>', type: 'aside' },
] as const
const NAME = /[^\s<>/="'&]+/y
const ATTRIBUTE = /\s*([^\s<>/="'&]+)\s*=\s*("[^"<]*"|'[^'<]*')/y
const END_OF_TAG = /\s*(\/?)>/y
const DOCTYPE = /<!DOCTYPE[^[>]*(?:\[[^\]]*\]\s*)?>/iy

/** Splits XML into tokens, in one pass and without interpreting them. */
export function* xmlTokens(text: string): Generator<XmlToken> {
  let at = 0
  while (at < text.length) {
    const next = text.indexOf('<', at)
    const textEnd = next === -1 ? text.length : next
    if (textEnd > at) yield { type: 'text', start: at, end: textEnd }
    if (next === -1) return
    const token = markupAt(text, next)
    if (token === undefined) {
      yield { type: 'broken', start: next, end: text.length }
      return
    }
    yield token
    at = token.type === 'text' ? token.end + 3 : token.end
  }
}

function markupAt(text: string, at: number): XmlToken | undefined {
  for (const { open, close, type } of DELIMITERS) {
    if (!text.startsWith(open, at)) continue
    const end = text.indexOf(close, at + open.length)
    if (end === -1) return undefined
    return type === 'text'
      ? { type, start: at + open.length, end }
      : { type, start: at, end: end + close.length }
  }
  if (text.startsWith('<!', at)) {
    DOCTYPE.lastIndex = at
    const match = DOCTYPE.exec(text)
    return match === null ? undefined : { type: 'aside', start: at, end: at + match[0].length }
  }
  return text.startsWith('</', at) ? closingAt(text, at) : openingAt(text, at)
}

function closingAt(text: string, at: number): XmlToken | undefined {
  const end = text.indexOf('>', at)
  if (end === -1) return undefined
  const name = text.slice(at + 2, end).trim()
  return name === '' || name.includes('<') ? undefined : { type: 'close', name, start: at, end: end + 1 }
}

function openingAt(text: string, start: number): XmlToken | undefined {
  NAME.lastIndex = start + 1
  const name = NAME.exec(text)?.[0]
  if (name === undefined) return undefined
  const attributes: XmlAttribute[] = []
  let at = NAME.lastIndex
  for (;;) {
    ATTRIBUTE.lastIndex = at
    const match = ATTRIBUTE.exec(text)
    if (match === null) break
    const [whole, attributeName = '', quoted = ''] = match
    const end = at + whole.length
    attributes.push({
      name: attributeName,
      start: end - whole.trimStart().length,
      end,
      valueAt: end - quoted.length + 1,
      valueEnd: end - 1,
    })
    at = end
  }
  END_OF_TAG.lastIndex = at
  const ending = END_OF_TAG.exec(text)
  if (ending === null) return undefined
  return { type: 'open', name, start, end: at + ending[0].length, attributes, isEmpty: ending[1] === '/' }
}
