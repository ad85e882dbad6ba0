import { broken } from '../../../lib/faults.ts'
import { collectText } from './collect-text.ts'
import type { FieldWriter, OpenField } from './field.ts'
import { badName, badParameter } from './form-errors.ts'
import { percentDecoder } from './percent-decoder.ts'

const MOST_NAME_BYTES = 1024
const FAULTY_ESCAPE = broken('formEncoding')

/** Reads `name=value&name=value`. */
export function urlencodedParser(openField: OpenField) {
  const escapes = percentDecoder('form')
  let name = collectName()
  let fieldName = ''
  let value: FieldWriter | undefined
  const badEscape = () =>
    value && fieldName !== '' ? badParameter(fieldName, FAULTY_ESCAPE) : badName(FAULTY_ESCAPE)

  function push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) at = readPiece(chunk, at)
  }

  /** Reads the rest of the current name or value in the chunk; returns the offset of the next one. */
  function readPiece(chunk: Buffer, from: number): number {
    const pairEnd = endOf(chunk, '&', from)
    const end = value ? pairEnd : from + endOf(chunk.subarray(from, pairEnd), '=', 0)
    const taker = value ?? name
    taker.push(escapes.decode(chunk.subarray(from, end), badEscape))
    if (end === chunk.length) return end
    if (end < pairEnd) openValue()
    else endPair()
    return end + 1
  }

  function openValue(): void {
    escapes.end(badEscape)
    fieldName = name.end()
    value = openField({ name: fieldName, isFile: false, fileName: undefined })
  }

  function endPair(): void {
    if (!value) openValue()
    escapes.end(badEscape)
    value?.end()
    value = undefined
    name = collectName()
  }

  return { push, end: endPair }
}

function endOf(bytes: Buffer, character: string, from: number): number {
  const at = bytes.indexOf(character, from)
  return at === -1 ? bytes.length : at
}

const collectName = () => collectText(MOST_NAME_BYTES, badName)
