import type { IncomingHttpHeaders } from 'node:http'
import { createIsbotFromList, list } from 'isbot'

/** `isbot` also counts every plain product name, such as `Uploader/1.0`, among the bots. A person's script has such a name. */
const plainNames = ['Uploader', 'Uploader/1', 'Uploader/1.0', 'Uploader/1.0.0', 'my uploader 1.0']

let isKnownBot: ReturnType<typeof createIsbotFromList> | undefined

/** The list is compiled for the first request, not at each start. */
function isbot(userAgent: string): boolean {
  isKnownBot ??= createIsbotFromList(
    list.filter((pattern) => !plainNames.some((name) => new RegExp(pattern, 'i').test(name))),
  )
  return isKnownBot(userAgent)
}

/** Link previews that `isbot` takes for browsers, or knows by their plain names alone. */
const unknownToIsbot =
  /microsoft office|ms-office|outlook|embedly|iframely|vkshare|viber|pinterest|tumblr|mattermost|lemmy|misskey|barracuda|proofpoint|mimecast/i

/** HTTP libraries and command-line tools: `isbot` counts them among the bots, but a person's script uses them. */
const httpClient =
  /^(?:curl|wget|httpie|node|undici|axios|got|okhttp|java|apache-httpclient|python|aiohttp|go-http-client|guzzlehttp|php|ruby|libwww-perl|postmanruntime|powershell)\b/i

/** Whether the request is no person's look at the page: a prefetch, a crawler or a link preview. */
export const isPrefetchOrBot = (headers: IncomingHttpHeaders): boolean =>
  isPrefetch(headers) || isBot(headers['user-agent'] ?? '')

const isBot = (userAgent: string): boolean =>
  unknownToIsbot.test(userAgent) || (isbot(userAgent) && !httpClient.test(userAgent))

/** Whether a browser says that it prefetches. */
export function isPrefetch(headers: IncomingHttpHeaders): boolean {
  const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => String(headers[name] ?? ''))
  return purposes.some((purpose) => /prefetch|prerender|preview/i.test(purpose))
}

/**
 * Whether the request comes from a browser, for a page or for a picture in one. Programs accept anything or JSON. Some
 * programs send `Sec-Fetch-Mode`; only browsers send `Sec-Fetch-Site` and `Sec-Fetch-Dest`.
 */
export function isBrowser(headers: IncomingHttpHeaders): boolean {
  return (
    /\btext\/(?:html|\*)|\bapplication\/xhtml|\bimage\//i.test(headers.accept ?? '') ||
    headers['sec-fetch-site'] !== undefined ||
    headers['sec-fetch-dest'] !== undefined
  )
}

/**
 * Headers that a plain request of a program does not have: the first bytes for a preview (`Range`), a cached copy (`If-…`),
 * a crawler's contact (`From`, RFC 9110, 10.1.2), a browser's preferences.
 */
const passiveHeaders = ['range', 'if-none-match', 'if-modified-since', 'if-range', 'from']
const browserOnlyHeaders = ['upgrade-insecure-requests', 'sec-fetch-user', 'sec-ch-ua']

/**
 * Whether a GET of a delete link comes from a program that means it. The deletion cannot be undone, so that any sign of a
 * person, a cache or a link preview is enough to ask first. The user agent is one sign of several and can only lead to the
 * question: a preview with an unknown name is recognised by its headers. Browsers send no `Sec-Fetch-…` over plain HTTP,
 * but always a language.
 */
export function isPlainProgram(headers: IncomingHttpHeaders): boolean {
  if (isBrowser(headers) || isPrefetchOrBot(headers)) return false
  if ([...passiveHeaders, ...browserOnlyHeaders].some((name) => headers[name] !== undefined)) return false
  return /\bapplication\/json\b/i.test(headers.accept ?? '') || !hasReader(headers)
}

/** A language or the page of the link points to a person. Node's fetch sends the language `*`. */
const hasReader = (headers: IncomingHttpHeaders): boolean =>
  headers.referer !== undefined || (headers['accept-language'] ?? '*').trim() !== '*'
