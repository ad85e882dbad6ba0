import type { IncomingHttpHeaders } from 'node:http'

/**
 * Programs that look at links before a person does: previews in chats and mail, search engines, mail gateways. Names that
 * browsers inside an app carry too are left out, and so is a maker of telephones that ends in "bot".
 */
const previewers = new RegExp(
  [
    '(?<!cu)bot|crawl|spider|slurp|preview|scanner|unfurl|opengraph|oembed|embedly|iframely|proxy|fetcher|validator',
    'external(?:hit|agent)|facebook|whatsapp|viber|tumblr|vkshare|mastodon|pleroma|misskey|akkoma|lemmy|mattermost',
    'outlook|safelinks|microsoft office|ms-office|proofpoint|mimecast|barracuda|google-|googleother|mediapartners|-user/',
  ].join('|'),
  'i',
)

/** Whether nobody may be looking: a link is fetched in advance, or by a program that shows it to others. */
export function isLookingAhead(headers: IncomingHttpHeaders): boolean {
  const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => String(headers[name] ?? ''))
  return (
    purposes.some((purpose) => /prefetch|prerender|preview/i.test(purpose)) ||
    previewers.test(headers['user-agent'] ?? '')
  )
}

/**
 * Whether a browser asks, be it for a page or for a picture in one. Programs accept anything or JSON; some of them tell
 * a fetch mode, but only browsers tell from where and what for.
 */
export function isBrowser(headers: IncomingHttpHeaders): boolean {
  return (
    /\btext\/(?:html|\*)|\bapplication\/xhtml|\bimage\//i.test(headers.accept ?? '') ||
    headers['sec-fetch-site'] !== undefined ||
    headers['sec-fetch-dest'] !== undefined
  )
}
