import type { TestApp } from './harness.ts'
import type { visitAs } from './pages.ts'
import { multipartOf, type Part, type TestTenant } from './uploads.ts'

type Visit = Awaited<ReturnType<typeof visitAs>>

/** Sends a form of `/dashboard/branding` with a picture. */
export function sendPicture(
  app: TestApp,
  tenant: TestTenant,
  visit: Pick<Visit, 'cookie' | 'csrf'>,
  { slot, parts, csrf = visit.csrf }: { slot: string; parts: readonly Part[]; csrf?: string },
) {
  const { type, bytes } = multipartOf([{ name: 'csrf', value: csrf }, ...parts])
  return app.send('POST', `/dashboard/branding/${slot}`, {
    bytes,
    headers: {
      host: tenant.hostname,
      cookie: visit.cookie,
      'content-type': type,
      'sec-fetch-site': 'same-origin',
      accept: 'text/html',
    },
  })
}

export const pictureParts = (value: Buffer, fileName = 'logo.png'): Part[] => [
  { name: 'source', value, fileName },
  { name: 'action', value: 'save' },
]
