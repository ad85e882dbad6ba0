import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { schemeOf } from '../http/addresses/public-url.ts'

/** Of every page. Nothing is inline, so it needs no nonce; only `/_/assets/` and the service worker have the type of a script. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // Made by `start.ts`, once a page. It gives out the address of the service worker and nothing else.
  'trusted-types terrace-worker',
].join('; ')

const noFeatures = [
  'camera',
  'microphone',
  'geolocation',
  'payment',
  'usb',
  'serial',
  'bluetooth',
  'midi',
  'accelerometer',
  'gyroscope',
  'magnetometer',
  'browsing-topics',
]
  .map((feature) => `${feature}=()`)
  .join(', ')

const common = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pagePolicy,
  'permissions-policy': noFeatures,
  vary: 'cookie, accept-language',
}

/** Browsers heed it under https alone; on plain http it is an error in their console. */
const underHttps = { 'cross-origin-opener-policy': 'same-origin' }

/** Sends a page. A referrer policy that is set already stays. */
export function sendPage(
  { config }: Pick<App, 'config'>,
  request: FastifyRequest,
  reply: FastifyReply,
  page: string,
) {
  return setPageHeaders({ config }, request, reply).send(page)
}

export function setPageHeaders(
  { config }: Pick<App, 'config'>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const scheme = schemeOf(config, request.client?.scheme)
  if (!reply.hasHeader('referrer-policy')) reply.header('referrer-policy', 'same-origin')
  return reply.headers({ ...common, ...(scheme === 'https' && underHttps) })
}
