import { Refusal } from './refusal.ts'

interface Reader {
  readonly text: string
  readonly maxDepth: number
  at: number
  depth: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SHOWN_KEY_LENGTH = 64

/**
 * Reads a JSON object that has only one meaning: what JSON.parse lets pass silently (a key given twice,
 * half a surrogate pair, a number beyond measure) is refused. The objects made have no prototype.
 */
export function parseJsonObject(bytes: Uint8Array, maxDepth = 8): Record<string, unknown> {
  const reader: Reader = { text: decodeText(bytes), maxDepth, at: 0, depth: 0 }
  skipSpace(reader)
  if (peek(reader) !== '{') throw badJson('The body must be a JSON object.')
  const object = readObject(reader)
  skipSpace(reader)
  if (reader.at < reader.text.length) throw unexpected(reader)
  return object
}

function decodeText(bytes: Uint8Array): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw badJson('The body is not valid UTF-8.', cause)
  }
  if (text.startsWith('\ufeff')) throw badJson('The body must not start with a byte order mark.')
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
  // Without a prototype "__proto__" is a key like any other. Object.create(null) takes thrice the memory.
  const object: Record<string, unknown> = Object.setPrototypeOf({}, null)
  for (let isMore = enter(reader, '}'); isMore; isMore = nextItem(reader, '}')) {
    const key = readString(reader)
    if (Object.hasOwn(object, key)) throw badJson(`The key ${showKey(key)} is given twice.`)
    skipSpace(reader)
    take(reader, ':')
    skipSpace(reader)
    object[key] = readValue(reader)
  }
  return object
}

function readArray(reader: Reader): unknown[] {
  if (!enter(reader, ']')) return []
  // The first push to an empty array makes room for 17; arrays of one are what a hostile body nests.
  const array: unknown[] = [readValue(reader)]
  while (nextItem(reader, ']')) array.push(readValue(reader))
  return array
}

/** Steps into an object or array, and out again when it is empty. */
function enter(reader: Reader, end: string): boolean {
  if (reader.depth === reader.maxDepth) {
    throw badJson(`The body is nested deeper than ${reader.maxDepth} levels at position ${reader.at}.`)
  }
  reader.depth++
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
  reader.depth--
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
  const number = Number(reader.text.slice(start, reader.at))
  if (!Number.isFinite(number)) throw badJson(`The number at position ${start} is too large.`)
  return number
}

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
  if (reader.at >= reader.text.length) return badJson('The body ends in the middle of the JSON.')
  return badJson(`The body is not valid JSON at position ${reader.at}.`)
}

function showKey(key: string): string {
  if (key.length <= SHOWN_KEY_LENGTH) return JSON.stringify(key)
  return JSON.stringify(`${key.slice(0, SHOWN_KEY_LENGTH).toWellFormed()}…`)
}

const badJson = (message: string, cause?: unknown) => new Refusal('invalid', 'bad-json', message, { cause })
