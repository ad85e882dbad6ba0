import { isExact } from './exact-number.ts'
import { type Fault, faultOf } from './faults.ts'
import { invalidFields, Refusal } from './refusal.ts'

interface Reader {
  readonly text: string
  /** What is read, as messages name it. */
  readonly subject: string
  at: number
  /** The keys and indexes that lead to the current value. */
  readonly path: (string | number)[]
  /** One for each number that a double does not hold exactly. */
  readonly faults: Fault[]
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SHOWN_KEY_LENGTH = 64
const SHOWN_NUMBER_LENGTH = 40
const MOST_FAULTS = 1_000
const mostLevels = 8

/**
 * Reads a JSON object strictly: a duplicate key, half a surrogate pair and a number that would be rounded, which JSON.parse
 * accepts silently, are refused. The objects have no prototype.
 */
export function parseJsonObject(bytes: Uint8Array, subject?: string): Record<string, unknown> {
  const { object, faults } = readJsonObject(bytes, subject)
  if (faults.length > 0) throw invalidFields(faults, 'bad-json')
  return object
}

export interface JsonReading {
  object: Record<string, unknown>
  /** Names each field whose number was rounded: the object must not be used unless this is empty. */
  faults: readonly Fault[]
}

/** For callers that report these faults together with others of the fields. */
export function readJsonObject(bytes: Uint8Array, subject = 'The body'): JsonReading {
  const reader: Reader = { text: decodeText(bytes, subject), subject, at: 0, path: [], faults: [] }
  skipSpace(reader)
  if (peek(reader) !== '{') throw badJson(`${subject} must be a JSON object.`)
  const object = readObject(reader)
  skipSpace(reader)
  if (reader.at < reader.text.length) throw unexpected(reader)
  return { object, faults: reader.faults }
}

function decodeText(bytes: Uint8Array, subject: string): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw badJson(`${subject} is not valid UTF-8.`, cause)
  }
  if (text.startsWith('\ufeff')) throw badJson(`${subject} must not start with a byte order mark.`)
  return text
}

function readValue(reader: Reader): unknown {
  switch (peek(reader)) {
    case '{':
      return readObject(reader)
    case '[':
      return readArray(reader)
    case '"':
      return readString(reader)
    case 't':
      return readWord(reader, 'true', true)
    case 'f':
      return readWord(reader, 'false', false)
    case 'n':
      return readWord(reader, 'null', null)
    default:
      return readNumber(reader)
  }
}

function readObject(reader: Reader): Record<string, unknown> {
  // Without a prototype "__proto__" is an ordinary key. Object.create(null) takes three times the memory.
  const object: Record<string, unknown> = Object.setPrototypeOf({}, null)
  for (let isMore = enter(reader, '}'); isMore; isMore = nextItem(reader, '}')) {
    const key = readString(reader)
    if (Object.hasOwn(object, key)) throw badJson(`The key ${showKey(key)} is given twice.`)
    skipSpace(reader)
    take(reader, ':')
    skipSpace(reader)
    reader.path[reader.path.length - 1] = key
    object[key] = readValue(reader)
  }
  return object
}

function readArray(reader: Reader): unknown[] {
  if (!enter(reader, ']')) return []
  // The first push to an empty array allocates 17 slots, and a hostile body nests arrays of one element.
  const array: unknown[] = [readValue(reader)]
  while (nextItem(reader, ']')) {
    reader.path[reader.path.length - 1] = array.length
    array.push(readValue(reader))
  }
  return array
}

/** Steps into an object or array, and out again when it is empty. */
function enter(reader: Reader, end: string): boolean {
  if (reader.path.length === mostLevels) {
    throw badJson(`${reader.subject} is nested deeper than ${mostLevels} levels at position ${reader.at}.`)
  }
  reader.path.push(0)
  reader.at++
  skipSpace(reader)
  return peek(reader) === end ? leave(reader) : true
}

/** Steps over the comma to the next item, or out after the last. */
function nextItem(reader: Reader, end: string): boolean {
  skipSpace(reader)
  if (peek(reader) === end) return leave(reader)
  take(reader, ',')
  skipSpace(reader)
  return true
}

function leave(reader: Reader): false {
  reader.path.pop()
  reader.at++
  return false
}

function readString(reader: Reader): string {
  const start = reader.at
  take(reader, '"')
  let isPlain = true
  for (let code = codeAt(reader); code !== QUOTE; code = codeAt(reader)) {
    if (!(code >= 0x20)) throw unexpected(reader)
    if (code === BACKSLASH) {
      isPlain = false
      reader.at++
    }
    reader.at++
  }
  reader.at++
  if (isPlain) return reader.text.slice(start + 1, reader.at - 1)
  return unescapeLiteral(reader.text.slice(start, reader.at), start)
}

function unescapeLiteral(literal: string, position: number): string {
  let text: string
  try {
    text = JSON.parse(literal)
  } catch (cause) {
    throw badJson(`The string at position ${position} has a faulty escape.`, cause)
  }
  if (!text.isWellFormed()) throw badJson(`The string at position ${position} has half a surrogate pair.`)
  return text
}

function readNumber(reader: Reader): number {
  const start = reader.at
  if (peek(reader) === '-') reader.at++
  if (peek(reader) === '0') reader.at++
  else takeDigits(reader)
  if (peek(reader) === '.') {
    reader.at++
    takeDigits(reader)
  }
  if (peek(reader) === 'e' || peek(reader) === 'E') {
    reader.at++
    if (peek(reader) === '+' || peek(reader) === '-') reader.at++
    takeDigits(reader)
  }
  const literal = reader.text.slice(start, reader.at)
  const number = Number(literal)
  if (!isExact(literal, number) && reader.faults.length < MOST_FAULTS)
    reader.faults.push(inexactFault(reader, literal))
  // Finite, so that this fault is reported for the field, and not one of its type.
  return Number.isFinite(number) ? number : Number.MAX_VALUE
}

const inexactFault = ({ path }: Reader, literal: string): Fault =>
  faultOf(cut(path.join('.'), SHOWN_KEY_LENGTH), 'inexactNumber', {
    given: cut(literal, SHOWN_NUMBER_LENGTH),
  })

function takeDigits(reader: Reader): void {
  const start = reader.at
  while (codeAt(reader) >= 0x30 && codeAt(reader) <= 0x39) reader.at++
  if (reader.at === start) throw unexpected(reader)
}

function readWord<T>(reader: Reader, word: string, value: T): T {
  if (!reader.text.startsWith(word, reader.at)) throw unexpected(reader)
  reader.at += word.length
  return value
}

function skipSpace(reader: Reader): void {
  for (let code = codeAt(reader); isSpace(code); code = codeAt(reader)) reader.at++
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

function take(reader: Reader, character: string): void {
  if (peek(reader) !== character) throw unexpected(reader)
  reader.at++
}

const peek = (reader: Reader) => reader.text[reader.at]

/** NaN at the end of the text, which compares as false with everything. */
const codeAt = (reader: Reader) => reader.text.charCodeAt(reader.at)

function unexpected(reader: Reader): Refusal {
  if (reader.at >= reader.text.length) return badJson(`${reader.subject} ends in the middle of the JSON.`)
  return badJson(`${reader.subject} is not valid JSON at position ${reader.at}.`)
}

const showKey = (key: string) => JSON.stringify(cut(key, SHOWN_KEY_LENGTH))

const cut = (text: string, length: number) =>
  text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`

const badJson = (message: string, cause?: unknown) => new Refusal('invalid', 'bad-json', message, { cause })
