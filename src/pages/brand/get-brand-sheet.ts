import { routeNotFound } from '../../http/responses/errors.ts'
import type { PageHandler } from '../page-call.ts'
import { brandSheet } from './brand-sheet.ts'

export const getBrandSheet: PageHandler = async ({ params, reply }) => {
  const { name = '' } = params
  const sheet = brandSheet(`#${name.slice(0, 6)}`)
  if (sheet?.path !== `/-/brand-${name}`) throw routeNotFound()
  return reply
    .headers({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    .send(sheet.text)
}
