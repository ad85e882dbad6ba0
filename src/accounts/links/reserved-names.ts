/** First parts of addresses that pages have or may have: a user of this name could not live at `/NAME`. */
export const reservedNames: ReadonlySet<string> = new Set([
  'account',
  'album',
  'albums',
  'api',
  'api-v1',
  'assets',
  'audio',
  'categories',
  'category',
  'connect',
  'console',
  'dashboard',
  'email',
  'embed',
  'explore',
  'export',
  'favicon.ico',
  'feed',
  'files',
  'help',
  'home',
  'image',
  'images',
  'install',
  'likes',
  'login',
  'logout',
  'manifest.webmanifest',
  'media',
  'mine',
  'oembed',
  'page',
  'pages',
  'password',
  'prove',
  'robots.txt',
  'rss',
  'search',
  'settings',
  'share',
  'signup',
  'sitemap.xml',
  'static',
  'support',
  'tag',
  'tags',
  'terms',
  'trash',
  'upload',
  'user',
  'users',
  'video',
  'videos',
])

/** Names that pretend an office. Only the sign-up refuses them: an administrator may give them. */
const offices: ReadonlySet<string> = new Set([
  'admin',
  'administrator',
  'moderator',
  'root',
  'staff',
  'system',
])

const fileLike = /^[._-]|\.(?:css|html|ico|js|json|map|php|png|svg|txt|xml)$/

/** Whether the name cannot be the first part of a user's own address. Case does not matter. */
export function isReservedName(username: string): boolean {
  const name = username.toLowerCase()
  return reservedNames.has(name) || fileLike.test(name)
}

/** Whether no visitor may sign up under the name. */
export const isRefusedAtSignUp = (username: string): boolean =>
  isReservedName(username) || offices.has(username.toLowerCase())
