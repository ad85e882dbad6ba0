/** Loaded with its first use: most processes never need it. */
export const openidClient = () => import('openid-client')
