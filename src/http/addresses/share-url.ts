import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { openSealedText } from '../../lib/sealed-text.ts'
import { type Share, tokenOwner } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { siteKey } from '../site-key.ts'
import { publicUrl } from './public-url.ts'

/** The address of a share for visitors; undefined if its token was sealed with another secret. */
export const shareUrlOf =
  ({ app, site, request }: { app: App; site: Site; request?: FastifyRequest }) =>
  ({ id, sealedToken }: Share): string | undefined => {
    const token = openSealedText(siteKey(app, site, 'share tokens'), sealedToken, tokenOwner(id))
    return token && `${publicUrl(app.config, site.hostname, request?.client.scheme)}share/${token}`
  }
