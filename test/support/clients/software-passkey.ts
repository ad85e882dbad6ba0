import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()

/** Just enough of CBOR (RFC 8949) for a passkey. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...value].flatMap(([key, each]) => [cbor(key), cbor(each as Buffer)])
  return Buffer.concat([head(5, value.size), ...entries])
}

function head(kind: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(kind << 5) | length])
  return length < 256
    ? Buffer.from([(kind << 5) | 24, length])
    : Buffer.from([(kind << 5) | 25, length >> 8, length & 255])
}

interface Place {
  rpId: string
  origin: string
}

const [present, verified, attested] = [1, 4, 64]

/** An authenticator in software with one passkey: what a browser would write, without a browser. */
export function softwarePasskey({ rpId, origin }: Place) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const coseKey = new Map<number, number | Buffer>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ])
  let counter = 0
  const dataOf = (flags: number, rest = Buffer.alloc(0)) => {
    counter += 1
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, rest])
  }
  const named = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' }
  const client = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  return {
    create({ challenge }: { challenge: string }): string {
      const length = Buffer.from([0, id.length])
      const authData = dataOf(
        present | verified | attested,
        Buffer.concat([Buffer.alloc(16), length, id, cbor(coseKey)]),
      )
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ])
      const response = {
        clientDataJSON: client('webauthn.create', challenge, origin).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: ['internal'],
      }
      return JSON.stringify({ ...named, response, clientExtensionResults: {} })
    },
    get(
      { challenge }: { challenge: string },
      {
        isVerified = true,
        from = origin,
        userId,
      }: { isVerified?: boolean; from?: string; userId?: string } = {},
    ): string {
      const authData = dataOf(present | (isVerified ? verified : 0))
      const clientData = client('webauthn.get', challenge, from)
      const response = {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', Buffer.concat([authData, sha256(clientData)]), privateKey).toString(
          'base64url',
        ),
        ...(userId !== undefined && { userHandle: Buffer.from(userId).toString('base64url') }),
      }
      return JSON.stringify({ ...named, response, clientExtensionResults: {} })
    },
  }
}
