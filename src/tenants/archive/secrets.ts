import { randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { openSealedText, sealText } from '../../lib/sealed-text.ts'
import type { StoredSigningKeys } from '../../site/index.ts'
import { secretsName } from './archive-format.ts'
import { brokenArchive, shortPassphrase, wrongPassphrase } from './errors.ts'
import { type ArchiveSource, linesOf, type TarEntry } from './read-tar.ts'

/** A line of `tables/secrets.ndjson`, before it is encrypted. */
export type SecretLine =
  | ({ kind: 'tenant'; env: Record<string, string> } & StoredSigningKeys)
  | { kind: 'loginProvider' | 'totp' | 'share'; id: string; secret: string }

const leastCharacters = 8

export function checkPassphrase(passphrase: string): void {
  if ([...passphrase].length < leastCharacters) throw shortPassphrase(leastCharacters)
}

/** 64 MiB and a tenth of a second for each guess. The first line names them; a stranger's archive cannot ask for more. */
const cost = { kdf: 'scrypt', n: 65_536, r: 8, p: 1 } as const

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

const keyOf = (passphrase: string, salt: Buffer) =>
  derive(passphrase.normalize('NFC'), salt, 32, {
    N: cost.n,
    r: cost.r,
    p: cost.p,
    maxmem: 256 * cost.n * cost.r,
  })

/** Each line is bound to its number, so that none can be exchanged for another. */
const ownerOf = (number: number) => `line ${number} of the secrets of an archive`

/** The first line of the entry, and what encrypts the others. */
export async function openSecretWriter(passphrase: string) {
  const salt = randomBytes(16)
  const key = await keyOf(passphrase, salt)
  let number = 0
  return {
    first: { ...cost, salt: salt.toString('base64') },
    seal(line: SecretLine): { sealed: string } {
      number += 1
      return { sealed: sealText(key, JSON.stringify(line), ownerOf(number)) }
    },
  }
}

/** The decrypted lines; the first is that of the tenant. */
export async function* secretLines(
  source: ArchiveSource,
  entry: TarEntry,
  passphrase: string,
): AsyncGenerator<SecretLine> {
  let key: Buffer | undefined
  let number = 0
  for await (const line of linesOf(source, entry)) {
    if (!key) {
      key = await keyOf(passphrase, saltOf(line))
      continue
    }
    number += 1
    const text = typeof line.sealed === 'string' && openSealedText(key, line.sealed, ownerOf(number))
    if (typeof text !== 'string') throw wrongPassphrase()
    const secret = JSON.parse(text) as SecretLine
    if ((secret.kind === 'tenant') !== (number === 1))
      throw brokenArchive(secretsName, 'its secrets are not in order')
    yield secret
  }
  if (number === 0) throw brokenArchive(secretsName, 'it is empty')
}

function saltOf({ salt, ...rest }: Readonly<Record<string, unknown>>): Buffer {
  const bytes = Buffer.from(typeof salt === 'string' ? salt : '', 'base64')
  const isKnown = Object.entries(cost).every(([name, value]) => rest[name] === value)
  if (!isKnown || bytes.length !== 16)
    throw brokenArchive(secretsName, 'it is encrypted in a way that this version of Terrace does not know')
  return bytes
}
