import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { Refusal } from './refusal.ts'

/** Encrypts text (AES-256-GCM), bound to the record that it belongs to. */
export interface KeyRing {
  /** The id of the key that encrypts. */
  currentKeyId(): string
  /** `boundTo` names the record: the text cannot be decrypted for another one. */
  seal(text: string, boundTo: string): string
  unseal(sealed: string, boundTo: string): string
}

/** The source of the keys; the first one encrypts, all of them decrypt. */
export interface KeySource {
  keys(): readonly Uint8Array[]
  /** Reads them again: another process may have added a key. */
  refresh(): void
}

export function keyRingOf(source: KeySource): KeyRing {
  const current = () => {
    source.refresh()
    const [key] = source.keys()
    if (!key) throw new Error('The key ring is empty.')
    return key
  }
  const find = (keyId: string) => source.keys().find((key) => keyIdOf(key) === keyId)
  const findFresh = (keyId: string) => {
    source.refresh()
    return find(keyId)
  }
  return {
    currentKeyId: () => keyIdOf(current()),
    seal(text, boundTo) {
      const key = current()
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(boundTo))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return [
        keyIdOf(key),
        ...[nonce, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url')),
      ].join('.')
    },
    unseal(sealed, boundTo) {
      const [keyId = '', ...parts] = sealed.split('.')
      const [nonce, text, tag] = parts.map((part) => Buffer.from(part, 'base64url'))
      const key = find(keyId) ?? findFresh(keyId)
      if (!key) throw cannotUnseal(boundTo, unknownKey(keyId))
      if (!nonce || !text || tag?.length !== 16) throw cannotUnseal(boundTo, 'the sealed text is incomplete')
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, nonce)
          .setAAD(Buffer.from(boundTo))
          .setAuthTag(tag)
        return decipher.update(text, undefined, 'utf8') + decipher.final('utf8')
      } catch (error) {
        throw cannotUnseal(boundTo, error)
      }
    },
  }
}

const keyIds = new WeakMap<Uint8Array, string>()

/** Identifies a key without revealing anything about it. */
export function keyIdOf(key: Uint8Array): string {
  let id = keyIds.get(key)
  if (id === undefined) {
    id = createHash('sha256').update('terrace key id').update(key).digest('hex').slice(0, 12)
    keyIds.set(key, id)
  }
  return id
}

/** The text may be anything, even an unencrypted secret: only an id may be shown. */
const unknownKey = (keyId: string) =>
  /^[0-9a-f]{12}$/.test(keyId) ? `there is no key "${keyId}"` : 'it is not a sealed text'

const cannotUnseal = (boundTo: string, cause: unknown) =>
  new Refusal(
    'unavailable',
    'cannot-decrypt',
    `What is stored encrypted for ${boundTo} cannot be decrypted here.`,
    {
      cause,
    },
  )
