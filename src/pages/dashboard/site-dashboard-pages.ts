import { noProof } from '../../http/requests/proof-rule.ts'
import type { PageRoute } from '../page-call.ts'
import { downloadAudit, showAudit } from './audit.ts'
import { postBranding, showBranding } from './branding/branding.ts'
import { postPicture } from './branding/post-picture.ts'
import {
  postDeletePage,
  postEditPage,
  postNewPage,
  showDeletePage,
  showEditPage,
  showNewPage,
} from './pages/edit-page.ts'
import { postMovePage, showPages } from './pages/list-pages.ts'
import { presetPages } from './settings/presets/preset-pages.ts'
import { providerPages } from './settings/providers/provider-pages.ts'
import { postSettings, showSettings, showSettingsPart } from './settings/settings.ts'
import { showStorages } from './storages.ts'

/** The dashboard's parts about the site itself. */
export const siteDashboardPages: readonly PageRoute[] = [
  { method: 'GET', path: '/dashboard/pages', access: 'write-pages', handle: showPages },
  { method: 'GET', path: '/dashboard/pages/new', access: 'write-pages', handle: showNewPage },
  {
    method: 'POST',
    path: '/dashboard/pages/new',
    access: 'write-pages',
    proof: noProof.look,
    handle: postNewPage,
  },
  { method: 'GET', path: '/dashboard/pages/{id}', access: 'write-pages', handle: showEditPage },
  {
    method: 'POST',
    path: '/dashboard/pages/{id}',
    access: 'write-pages',
    proof: noProof.look,
    handle: postEditPage,
  },
  {
    method: 'POST',
    path: '/dashboard/pages/{id}/move',
    access: 'write-pages',
    proof: noProof.look,
    handle: postMovePage,
  },
  { method: 'GET', path: '/dashboard/pages/{id}/delete', access: 'write-pages', handle: showDeletePage },
  {
    method: 'POST',
    path: '/dashboard/pages/{id}/delete',
    access: 'write-pages',
    proof: noProof.look,
    handle: postDeletePage,
  },
  { method: 'GET', path: '/dashboard/storages', access: 'see-storages', handle: showStorages },
  { method: 'GET', path: '/dashboard/audit', access: 'read-audit', handle: showAudit },
  { method: 'GET', path: '/dashboard/audit.csv', access: 'read-audit', handle: downloadAudit('csv') },
  { method: 'GET', path: '/dashboard/audit.ndjson', access: 'read-audit', handle: downloadAudit('ndjson') },
  { method: 'GET', path: '/dashboard/branding', access: 'change-settings', handle: showBranding },
  {
    method: 'POST',
    path: '/dashboard/branding',
    access: 'change-settings',
    proof: { ask: 'here', isNeeded: ({ form }) => form.get('action') !== 'preview' },
    handle: postBranding,
  },
  ...providerPages,
  {
    method: 'POST',
    path: '/dashboard/branding/{slot}',
    access: 'change-settings',
    proof: noProof.look,
    handle: postPicture,
    hasOwnBody: true,
  },
  { method: 'GET', path: '/dashboard/settings', access: 'change-settings', handle: showSettings },
  ...presetPages,
  { method: 'GET', path: '/dashboard/settings/{part}', access: 'change-settings', handle: showSettingsPart },
  {
    method: 'POST',
    path: '/dashboard/settings/{part}',
    access: 'change-settings',
    proof: { ask: 'here' },
    handle: postSettings,
  },
]
