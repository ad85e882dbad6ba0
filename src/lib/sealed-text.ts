import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

/** Encrypts a text (AES-256-GCM). `boundTo` names what it belongs to: it cannot be opened for anything else. */
export function sealText(key: Uint8Array, text: string, boundTo: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(boundTo))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url')
}

/** Undefined if the text was changed, or was sealed with another key or for something else. */
export function openSealedText(key: Uint8Array, sealed: string, boundTo: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  // The last character may hold bits that the decoder drops: a changed one would be accepted.
  if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== sealed) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
      .setAAD(Buffer.from(boundTo))
      .setAuthTag(bytes.subarray(-tagBytes))
    return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    // The tag does not match.
    return undefined
  }
}
