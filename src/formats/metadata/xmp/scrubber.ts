import { confirmsName, coordinatesIn, isCoordinate, type Span } from '../location/coordinates.ts'
import { classifyName, isHarmless, type LocationName } from '../location/names.ts'
import type { XmlAttribute, XmlToken } from './xml-tokens.ts'
import { readXmlValue } from './xml-value.ts'

type OpenToken = Extract<XmlToken, { type: 'open' }>

interface Frame {
  name: string
  start: number
  contentAt: number
  judged: LocationName
  /** Values in it are not judged: calibration, colours, drawing. */
  isHarmless: boolean
  isInMetadata: boolean
  hasElements: boolean
  texts: Span[]
  /** The values of a list, which are judged together. */
  members: string[]
}

const LIST = /^rdf:(?:Seq|Bag|Alt)$/
/** The elements and attributes of a drawing that are not drawn. */
const DESCRIPTIVE = new Set(['metadata', 'title', 'desc'])
const NOT_DRAWN = /^(?:aria-|data-|inkscape:label$|title$|alt$)/
/** A value with words is a text, also under a name of colours or regions. */
const WORD = /[A-Za-z]{3}/
const MAX_JUDGED = 2000
const MAX_CACHED_NAMES = 1000
const MAX_DEPTH = 1000

/** Collects the spans of a packet that contain a location, judged by the names and values of properties. Takes each token once. */
export class XmpScrubber {
  readonly #text: string
  readonly #isDrawing: boolean
  readonly #namespaces = new Map<string, string>()
  readonly #stack: Frame[] = []
  readonly #spans: Span[] = []
  /** Caches of judgements, because a packet repeats few names many times. */
  readonly #judged = new Map<string, LocationName>()
  readonly #harmless = new Map<string, boolean>()
  #isWhole = false

  constructor(text: string, form: 'packet' | 'drawing') {
    this.#text = text
    this.#isDrawing = form === 'drawing'
  }

  /** Deeper than any packet that programs write. */
  get isTooDeep(): boolean {
    return this.#stack.length > MAX_DEPTH
  }

  take(token: XmlToken): void {
    switch (token.type) {
      case 'open':
        this.#open(token)
        break
      case 'close':
        this.#close(token.name, token.start, token.end)
        break
      case 'text': {
        const frame = this.#stack.at(-1)
        if (frame !== undefined) frame.texts.push({ start: token.start, end: token.end })
        else this.#blankCoordinates([token])
        break
      }
      case 'aside':
        this.#aside(token)
        break
      case 'broken':
        break
    }
  }

  /** The spans to blank, sorted and without overlaps. */
  end(): (Span & { isWhole?: boolean })[] {
    // An element that is never closed extends to the end.
    while (this.#stack.length > 0) this.#finish(this.#text.length, this.#text.length)
    if (this.#isWhole) return [{ start: 0, end: this.#text.length, isWhole: true }]
    const merged: Span[] = []
    for (const { start, end } of this.#spans.sort((one, other) => one.start - other.start)) {
      const last = merged.at(-1)
      if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
      else merged.push({ start, end })
    }
    return merged.filter(({ start, end }) => /\S/.test(this.#text.slice(start, end)))
  }

  #open(token: OpenToken): void {
    const { name, start, end, attributes } = token
    for (const attribute of attributes) {
      if (attribute.name.startsWith('xmlns:')) {
        this.#namespaces.set(attribute.name.slice(6), this.#text.slice(attribute.valueAt, attribute.valueEnd))
      }
    }
    const parent = this.#stack.at(-1)
    if (parent !== undefined) parent.hasElements = true
    const isMetadata = !this.#isDrawing || parent?.isInMetadata === true
    const frame: Frame = {
      name,
      start,
      contentAt: end,
      judged: this.#judge(name, isMetadata),
      isHarmless: (parent?.isHarmless ?? false) || this.#isHarmless(name),
      isInMetadata: isMetadata || DESCRIPTIVE.has(localOf(name)),
      hasElements: false,
      texts: [],
      members: [],
    }
    for (const attribute of attributes) this.#attribute(attribute, frame)
    this.#stack.push(frame)
    if (token.isEmpty) this.#finish(end, end)
  }

  /** Outside of a drawing's metadata, only names with a prefix count, and only unambiguous ones. */
  #judge(name: string, isMetadata: boolean): LocationName {
    const prefix = name.includes(':') ? name.slice(0, name.indexOf(':')) : ''
    const namespace = this.#namespaces.get(prefix)
    const judged = cached(this.#judged, `${name} ${namespace}`, () => classifyName(name, namespace))
    return isMetadata || (prefix !== '' && judged === 'yes') ? judged : 'no'
  }

  #isHarmless(name: string): boolean {
    return cached(this.#harmless, name, () => isHarmless(localOf(name)))
  }

  #attribute({ name, start, end, valueAt, valueEnd }: XmlAttribute, frame: Frame): void {
    if (name === 'xmlns' || name.startsWith('xmlns:')) return
    const isInMetadata = frame.isInMetadata || NOT_DRAWN.test(name)
    const judged = this.#judge(name.replace(/^data-/, ''), isInMetadata)
    const value = readXmlValue(this.#text, [{ start: valueAt, end: valueEnd }])
    if (judged === 'yes' || confirmsName(judged, value.text)) {
      this.#spans.push({ start, end })
      return
    }
    const isJudged = !(frame.isHarmless || this.#isHarmless(name)) || WORD.test(value.text)
    if (!isInMetadata || !isJudged) return
    if (isCoordinate(value.text)) this.#spans.push({ start, end })
    else this.#spans.push(...coordinatesIn(value.text).flatMap(value.sourceSpans))
  }

  #close(name: string, start: number, end: number): void {
    const depth = this.#stack.findLastIndex((frame) => frame.name === name)
    if (depth === -1) return
    while (this.#stack.length > depth + 1) this.#finish(start, start)
    this.#finish(start, end)
  }

  #finish(contentEnd: number, end: number): void {
    const frame = this.#stack.pop()
    if (frame === undefined) return
    const isLocation =
      frame.judged === 'yes' ||
      (frame.judged !== 'no' && confirmsName(frame.judged, this.#inner(frame, contentEnd)))
    if (isLocation) this.#blankElement(frame, end)
    else if (frame.isInMetadata && (!frame.isHarmless || this.#hasWords(frame))) this.#judgeValues(frame, end)
  }

  #judgeValues(frame: Frame, end: number): void {
    if (frame.hasElements) {
      const isPair =
        LIST.test(frame.name) && frame.members.length === 2 && isCoordinate(frame.members.join(' '))
      if (isPair) this.#blankElement(frame, end)
      else this.#blankCoordinates(frame.texts)
      return
    }
    const value = readXmlValue(this.#text, frame.texts)
    if (isCoordinate(value.text)) this.#blankElement(frame, end)
    else this.#spans.push(...coordinatesIn(value.text).flatMap(value.sourceSpans))
    if (value.text.length <= 100) this.#stack.at(-1)?.members.push(value.text)
  }

  #hasWords({ texts }: Frame): boolean {
    return texts.some(({ start, end }) => WORD.test(this.#text.slice(start, end)))
  }

  /** All text of an element, nested elements included. */
  #inner(frame: Frame, contentEnd: number): string {
    if (!frame.hasElements) return readXmlValue(this.#text, frame.texts).text
    if (contentEnd - frame.contentAt > MAX_JUDGED) return ''
    const bare = this.#text
      .slice(frame.contentAt, contentEnd)
      .replace(/<!\[CDATA\[|\]\]>/g, '')
      .replace(/<[^>]*>/g, ' ')
    return readXmlValue(bare, [{ start: 0, end: bare.length }]).text
  }

  #blankElement({ start }: Frame, end: number): void {
    this.#spans.push({ start, end })
  }

  #blankCoordinates(texts: readonly Span[]): void {
    for (const text of texts) {
      const value = readXmlValue(this.#text, [text])
      this.#spans.push(...coordinatesIn(value.text).flatMap(value.sourceSpans))
    }
  }

  /** Comments are judged as plain text. A packet that defines entities cannot be judged and is blanked whole. */
  #aside({ start, end }: Span): void {
    const text = this.#text.slice(start, end)
    if (!this.#isDrawing && text.includes('<!ENTITY')) this.#isWhole = true
    const spans = coordinatesIn(text)
    const isNamed = /gps|latitude|longt?itude/i.test(text)
    if (!text.startsWith('<!--')) return
    if (isNamed) this.#spans.push({ start: start + 4, end: end - 3 })
    else this.#spans.push(...spans.map((span) => ({ start: start + span.start, end: start + span.end })))
  }
}

function cached<T>(known: Map<string, T>, key: string, find: () => T): T {
  const value = known.get(key) ?? find()
  if (known.size < MAX_CACHED_NAMES) known.set(key, value)
  return value
}

const localOf = (name: string) => name.slice(name.indexOf(':') + 1)
