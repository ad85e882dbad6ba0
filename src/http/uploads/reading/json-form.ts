import { broken } from '../../../lib/faults.ts'
import { collectText } from './collect-text.ts'
import type { FieldWriter, OpenField } from './field.ts'
import { badForm, badName, badParameter } from './form-errors.ts'
import { jsonString } from './json-string.ts'

type State = 'begin' | 'first-name' | 'name' | 'colon' | 'value' | 'next' | 'done' | 'in-string' | 'in-word'

const WHITE_SPACE = new Set([...' \t\n\r'].map((character) => character.charCodeAt(0)))
const WORD_CHARACTER = /^[-+.A-Za-z0-9]$/
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
/** As a form would send them: booleans as 1 and 0, null as an empty value. */
const WORDS = new Map([
  ['true', '1'],
  ['false', '0'],
  ['null', ''],
])
const MOST_NAME_BYTES = 1024
const MOST_WORD_LENGTH = 1024

/** Reads a JSON object whose values are texts, numbers, booleans or null. */
export function jsonFormParser(openField: OpenField) {
  let state: State = 'begin'
  let readString = jsonString(() => undefined)
  let name: ReturnType<typeof collectText> | undefined
  let fieldName = ''
  let value: FieldWriter | undefined
  let word = ''
  let sizeBefore = 0

  function push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) at = readFrom(chunk, at)
    sizeBefore += chunk.length
  }

  /** Returns the offset of the next byte to read. */
  function readFrom(chunk: Buffer, at: number): number {
    if (state === 'in-string') {
      const end = readString(chunk, at)
      if (end !== undefined) endString()
      return end ?? chunk.length
    }
    const byte = chunk[at] ?? 0
    const character = String.fromCharCode(byte)
    if (state === 'in-word' && WORD_CHARACTER.test(character)) {
      word += character
      if (word.length > MOST_WORD_LENGTH) throw badJson(sizeBefore + at)
      return at + 1
    }
    if (state === 'in-word') endWord(sizeBefore + at)
    if (!WHITE_SPACE.has(byte)) move(character, sizeBefore + at)
    return at + 1
  }

  function move(character: string, position: number): void {
    switch (`${state} ${character}`) {
      case 'begin {':
        state = 'first-name'
        return
      case 'first-name "':
      case 'name "':
        name = collectText(MOST_NAME_BYTES, badName)
        openString(name.push)
        return
      case 'colon :':
        state = 'value'
        return
      case 'value "':
        value = openValue()
        openString(value.push)
        return
      case 'value {':
      case 'value [':
        throw badParameter(fieldName, broken('textNumberOrBoolean'))
      case 'next ,':
        state = 'name'
        return
      case 'first-name }':
      case 'next }':
        state = 'done'
        return
    }
    if (state !== 'value' || !WORD_CHARACTER.test(character)) throw badJson(position)
    state = 'in-word'
    word = character
  }

  function openString(take: (bytes: Buffer) => void): void {
    state = 'in-string'
    readString = jsonString(take)
  }

  function endString(): void {
    if (name) {
      fieldName = name.end()
      state = 'colon'
    } else {
      value?.end()
      state = 'next'
    }
    name = undefined
  }

  const openValue = () => openField({ name: fieldName, isFile: false, fileName: undefined })

  function endWord(position: number): void {
    const text = NUMBER.test(word) ? word : WORDS.get(word)
    if (text === undefined) throw badJson(position)
    value = openValue()
    if (text !== '') value.push(Buffer.from(text))
    value.end()
    state = 'next'
  }

  function end(): void {
    if (state !== 'done') throw badForm('The body ends in the middle of the JSON.')
  }

  return { push, end }
}

const badJson = (position: number) => badForm(`The body is not valid JSON at position ${position}.`)
