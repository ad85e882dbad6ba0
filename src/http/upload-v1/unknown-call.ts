import type { App } from '../../app.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { SiteHandler } from '../site-route.ts'
import { formatInQuery, isPlain } from './format.ts'

/** An address that looks like the upload API's and is none. */
export const refuseUnknownCall =
  (_app: App): SiteHandler =>
  async (_site, request) => {
    request.isAnsweredInText = isPlain(formatInQuery(request.url))
    const { version } = request.params as { version: string }
    throw version === '1'
      ? new Refusal('invalid', 'bad-action', 'Invalid API action')
      : new Refusal('invalid', 'bad-version', 'Invalid API version.')
  }
