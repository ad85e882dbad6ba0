import type { App } from '../app.ts'
import { fileNameOf, type StoredFile, type StoredVariant } from '../media/index.ts'
import type { Site } from '../site/index.ts'
import { publicUrl } from './public-url.ts'

/** Where a file is found on its site, as the outside sees it. */
export interface FileAddresses {
  url: string
  urlOf(variant: StoredVariant): string
  viewer: string
  viewerPath: string
  short: string
  deletion(token: string): string
}

export function addressesOf(app: App, site: Site, file: StoredFile): FileAddresses {
  const base = publicUrl(app.config, site.hostname).slice(0, -1)
  const folder = `${base}/${file.folder}/`
  const slug = slugOf(file.title ?? '')
  const viewerPath = `/${file.type}/${slug === '' ? '' : `${slug}.`}${file.id}`
  const short = `${base}/${file.type}/${file.id}`
  return {
    url: folder + fileNameOf(file),
    urlOf: (variant) => folder + fileNameOf(file, variant),
    viewer: base + viewerPath,
    viewerPath,
    short,
    deletion: (token) => `${short}/delete/${token}`,
  }
}

/** A title as a part of an address: readable, and without what would mean something there. */
export function slugOf(title: string): string {
  const words = title
    .toWellFormed()
    .replaceAll(/\s/g, ' ')
    .replaceAll(/[\\/~&!'"?#%.<>[\]{}|^`\p{C}]/gu, '')
    .trim()
    .replaceAll(/[ -]+/g, '-')
  return encodeURIComponent(words.replaceAll(/^-|-$/g, ''))
}
