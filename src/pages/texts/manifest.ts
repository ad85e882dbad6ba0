import { assetPath } from '../../ui/assets/assets.ts'
import type { PageHandler } from '../page-call.ts'

/** Lets a phone put the site on its home screen, and then share pictures to it. */
export const getManifest: PageHandler = async ({ site, reader, reply }) => {
  const { name = '', icon } = reader.account?.brand ?? {}
  const shown = name || site.hostname
  const manifest = {
    name: shown,
    short_name: shown,
    id: '/',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#f6f4ee',
    theme_color: '#f6f4ee',
    share_target: {
      action: '/upload/shared',
      method: 'POST',
      enctype: 'multipart/form-data',
      params: { url: 'url', files: [{ name: 'source', accept: ['image/*', 'video/*'] }] },
    },
    icons: [
      icon
        ? { src: icon.path, type: icon.mime, sizes: `${icon.width}x${icon.height}` }
        : { src: assetPath('mark.svg'), type: 'image/svg+xml', sizes: 'any' },
    ],
  }
  return reply
    .headers({
      'content-type': 'application/manifest+json; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
    })
    .send(JSON.stringify(manifest))
}
