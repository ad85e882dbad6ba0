import { readFile } from 'node:fs/promises'
import type { ConnectionOptions } from 'node:tls'
import type { TlsMode, TlsSettings } from './url.ts'

/** Options of TLS, or false for a connection without it. */
export type Tls = ConnectionOptions | false

/** `prefer` and `allow` try both ways. */
const attempts: Record<TlsMode, readonly boolean[]> = {
  disable: [false],
  allow: [false, true],
  prefer: [true, false],
  require: [true],
  'verify-ca': [true],
  'verify-full': [true],
}

/** What to try, in this order. Files are read each time: certificates are renewed while servers run. */
export async function tlsAttempts(settings: TlsSettings): Promise<Tls[]> {
  const usesTls = attempts[settings.mode]
  const options = usesTls.includes(true) ? await optionsOf(settings) : false
  return usesTls.map((isTls) => isTls && options)
}

/** As libpq: with a root certificate the server's is verified in every mode, its name in `verify-full` alone. */
async function optionsOf({ mode, sslrootcert, sslcert, sslkey }: TlsSettings): Promise<ConnectionOptions> {
  const isNameChecked = mode === 'verify-full'
  return {
    rejectUnauthorized: isNameChecked || sslrootcert !== undefined,
    ...(!isNameChecked && { checkServerIdentity: () => undefined }),
    ...(sslrootcert !== undefined &&
      sslrootcert !== 'system' && { ca: await read('sslrootcert', sslrootcert) }),
    ...(sslcert !== undefined && { cert: await read('sslcert', sslcert) }),
    ...(sslkey !== undefined && { key: await read('sslkey', sslkey) }),
  }
}

async function read(name: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new Error(`${name}: the file "${path}" cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** The driver's text if the server has no TLS. */
const noTls = 'The server does not support SSL connections'

/** Whether the other way of `prefer` or `allow` may work: no TLS, a failed handshake, or no such entry in pg_hba.conf. */
export function mayWorkOtherwise(error: Error & { code?: unknown }): boolean {
  return error.message === noTls || error.code === '28000' || tlsCodes.test(String(error.code))
}

const tlsCodes = /^(ERR_|CERT_|UNABLE_TO_|DEPTH_|SELF_SIGNED|HOSTNAME_|EPROTO)/

/** Why the handshake failed, in words of the settings. */
export function tlsFault({ message, code }: Error & { code?: unknown }, { mode }: TlsSettings): string {
  if (message === noTls) return `it has no TLS, which sslmode=${mode} needs`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is for another name, which sslmode=${mode} refuses: ${message}`
  if (/^(UNABLE_TO_|DEPTH_|SELF_SIGNED)/.test(String(code)))
    return `its certificate is not signed by an authority of sslrootcert: ${message}`
  return message
}
