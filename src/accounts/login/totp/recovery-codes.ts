import { hash, randomInt } from 'node:crypto'
import type { SiteDb } from '../../../db/index.ts'
import { deleteRecoveryCodes, insertRecoveryCodes } from './recovery-codes-table.ts'

const codeCount = 10

// Without letters and digits that look alike.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const codeLength = 16

/** 16 of 31 characters are 79 bits, so that a plain hash is enough. */
const randomCode = () => Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(31))).join('')

/** Gives the user ten new codes in place of the old ones. They are returned once, and stored as hashes. */
export async function replaceRecoveryCodes(db: SiteDb, userId: string): Promise<readonly string[]> {
  const codes = Array.from({ length: codeCount }, randomCode)
  await deleteRecoveryCodes(db, userId)
  await insertRecoveryCodes(db, userId, codes.map(hashOfCode))
  return codes.map((code) => code.match(/.{4}/g)?.join('-') ?? code)
}

/** The hash of a code as a person types it; undefined if the text cannot be one. */
export function hashOfTypedCode(text: string): string | undefined {
  const code = text.toLowerCase().replaceAll(/[\s-]/g, '')
  return code.length === codeLength && /^[a-z0-9]+$/.test(code) ? hashOfCode(code) : undefined
}

const hashOfCode = (code: string) => hash('sha256', code, 'hex')
