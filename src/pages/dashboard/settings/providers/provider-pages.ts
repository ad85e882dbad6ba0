import { noProof } from '../../../../http/requests/proof-rule.ts'
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
    { method: 'POST', path: `${list}/new`, proof: { ask: 'here' }, handle: postNewProvider },
    { method: 'GET', path: one, handle: showProvider },
    { method: 'POST', path: one, proof: { ask: 'here' }, handle: postProvider },
    { method: 'POST', path: `${one}/check`, proof: noProof.reading, handle: postCheckProvider },
    {
      method: 'POST',
      path: `${one}/switch`,
      proof: { ask: '/dashboard/providers' },
      handle: postSwitchProvider,
    },
    { method: 'POST', path: `${one}/move`, proof: noProof.look, handle: postMoveProvider },
    { method: 'GET', path: `${one}/delete`, handle: showDeleteProvider },
    {
      method: 'POST',
      path: `${one}/delete`,
      proof: { ask: '/dashboard/providers/{provider}/delete' },
      handle: postDeleteProvider,
    },
  ] as const
).map((page) => ({ ...page, access: 'manage-providers' }))
