import type { PageRoute } from '../../../page-call.ts'
import { presetsPath } from '../setting-tabs.ts'
import {
  postDeletePreset,
  postNewPreset,
  postPreset,
  showDeletePreset,
  showNewPreset,
  showPreset,
} from './edit-preset.ts'
import { showPresets } from './list-presets.ts'

/** A preset may have the name `new`, so presets have a level of their own. */
const one = '/dashboard/settings/transforms/preset/{preset}'

export const presetPages: readonly PageRoute[] = (
  [
    { method: 'GET', path: presetsPath, handle: showPresets },
    { method: 'GET', path: `${presetsPath}/new`, handle: showNewPreset },
    { method: 'POST', path: `${presetsPath}/new`, proof: { ask: 'here' }, handle: postNewPreset },
    { method: 'GET', path: one, handle: showPreset },
    { method: 'POST', path: one, proof: { ask: 'here' }, handle: postPreset },
    { method: 'GET', path: `${one}/delete`, handle: showDeletePreset },
    {
      method: 'POST',
      path: `${one}/delete`,
      proof: { ask: '/dashboard/settings/transforms/preset/{preset}/delete' },
      handle: postDeletePreset,
    },
  ] as const
).map((page) => ({ ...page, access: 'change-settings' }))
