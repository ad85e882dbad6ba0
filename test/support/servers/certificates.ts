import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Certificates extends AsyncDisposable {
  /** The path of a file in the folder. */
  path(name: string): string
  /** An authority that signs the others. */
  authority(name: string): void
  /** A certificate with its key, `NAME.crt` and `NAME.key`. */
  signed(name: string, by: string, subject: { commonName: string; names?: string }): void
  write(name: string, text: string): string
  /** Lets the account that PostgreSQL runs as read its key, and no other. */
  giveToPostgres(...names: string[]): void
}

/** Certificates made by openssl, in a folder of their own. */
export async function makeCertificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-certificates-'))
  await chmod(folder, 0o755)
  const path = (name: string) => join(folder, name)
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  return {
    path,
    authority(name) {
      openssl('req', '-x509', ...key, '-keyout', `${name}.key`, '-out', `${name}.crt`, '-subj', `/CN=${name}`)
    },
    signed(name, by, { commonName, names }) {
      openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${commonName}`)
      writeFileSync(path(`${name}.ext`), `subjectAltName=${names ?? `DNS:${commonName}`}`)
      const signer = ['-CA', `${by}.crt`, '-CAkey', `${by}.key`, '-CAcreateserial', '-extfile', `${name}.ext`]
      openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.crt`, '-days', '2', ...signer)
    },
    write(name, text) {
      writeFileSync(path(name), text)
      return path(name)
    },
    giveToPostgres(...names) {
      for (const name of names) chmodSync(path(name), 0o600)
      if (process.getuid?.() === 0) execFileSync('chown', ['nobody', ...names.map(path)])
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
