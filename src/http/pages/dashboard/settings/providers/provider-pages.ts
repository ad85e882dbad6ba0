import type { PageRoute } from '../../../page-call.ts'
import {
  postCheckProvider,
  postDeleteProvider,
  postNewProvider,
  postProvider,
  showDeleteProvider,
  showNewProvider,
  showProvider,
} from './edit-provider.ts'
import { postMoveProvider, postSwitchProvider, showProviders } from './list-providers.ts'

const [list, one] = ['/dashboard/providers', '/dashboard/providers/{provider}']

export const providerPages: readonly PageRoute[] = (
  [
    { method: 'GET', path: list, handle: showProviders },
    { method: 'GET', path: `${list}/new`, handle: showNewProvider },
    { method: 'POST', path: `${list}/new`, handle: postNewProvider },
    { method: 'GET', path: one, handle: showProvider },
    { method: 'POST', path: one, handle: postProvider },
    { method: 'POST', path: `${one}/check`, handle: postCheckProvider },
    { method: 'POST', path: `${one}/switch`, handle: postSwitchProvider },
    { method: 'POST', path: `${one}/move`, handle: postMoveProvider },
    { method: 'GET', path: `${one}/delete`, handle: showDeleteProvider },
    { method: 'POST', path: `${one}/delete`, handle: postDeleteProvider },
  ] as const
).map((page) => ({ ...page, access: 'administrator' }))
