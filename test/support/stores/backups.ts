import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '../delivered.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import type { Installation } from '../tool.ts'

/** An upload that was answered with 200: at these addresses these bytes must be found. */
export interface Kept {
  urls: string[]
  hashes: string[]
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

export async function keptOf(app: TestApp, image: any): Promise<Kept> {
  const urls = [image.url, image.thumb.url, image.medium?.url].filter(Boolean)
  return { urls, hashes: await hashesAt(app, urls) }
}

async function hashesAt(app: TestApp, urls: readonly string[]): Promise<string[]> {
  return await Promise.all(
    urls.map(async (url) => {
      const { status, bytes } = await ask(app, url)
      return status === 200 ? sha256Of(bytes) : `${status} ${url}`
    }),
  )
}

export async function assertServed(app: TestApp, kept: readonly Kept[]): Promise<void> {
  for (const { urls, hashes } of kept) assert.deepEqual(await hashesAt(app, urls), hashes)
}

/** A server on a restored installation. */
export function serveAt(
  installation: Installation,
  environment: Record<string, string> = {},
): Promise<TestApp> {
  const settings = { ...installation.settings, SERVICE_LOG_LEVEL: 'silent', ...environment }
  return startTestApp({ beside: { environment: settings } })
}

/** A folder for backups, gone at the end. */
export async function backupFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'terrace-backup-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
