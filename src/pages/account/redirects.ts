import type { PageRoute } from '../page-call.ts'

const moved = (path: string, to: string): PageRoute => ({
  method: 'GET',
  path,
  access: 'anyone',
  handle: async () => ({ to, status: 301 }),
})

/** Addresses that people know from other programs, and one that password managers ask for. */
export const redirects: readonly PageRoute[] = [
  moved('/account', '/settings'),
  moved('/settings/api', '/settings/keys'),
  moved('/account/password-forgot', '/password'),
  {
    method: 'GET',
    path: '/.well-known/change-password',
    access: 'anyone',
    handle: async () => ({ to: '/settings/security', status: 302 }),
  },
]
