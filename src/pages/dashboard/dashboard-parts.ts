import type { Right } from '../../accounts/index.ts'
import type { IconName } from '../../ui/parts/icon.ts'
import type { Words } from '../../words/en.ts'

/** An entry of the navigation beside the pages of the dashboard. */
export interface DashboardPart {
  path: `/dashboard${string}`
  /** Who sees it; its pages in `dashboard-pages.ts` have the same access. */
  access: Right
  icon: IconName
  label: (words: Words) => string
}

/** Every part of the dashboard, in the order shown. */
export const dashboardParts: readonly DashboardPart[] = [
  { path: '/dashboard', access: 'see-statistics', icon: 'chart', label: (words) => words.overview },
  { path: '/dashboard/queue', access: 'moderate-files', icon: 'queue', label: (words) => words.queuePart },
  {
    path: '/dashboard/reports',
    access: 'moderate-files',
    icon: 'warning',
    label: (words) => words.reportsPart,
  },
  { path: '/dashboard/files', access: 'moderate-files', icon: 'picture', label: (words) => words.filesTab },
  { path: '/dashboard/users', access: 'ban-users', icon: 'people', label: (words) => words.users },
  { path: '/dashboard/albums', access: 'see-albums', icon: 'albums', label: (words) => words.albums },
  {
    path: '/dashboard/categories',
    access: 'manage-categories',
    icon: 'category',
    label: (words) => words.categories,
  },
  { path: '/dashboard/tags', access: 'manage-tags', icon: 'tag', label: (words) => words.tags },
  { path: '/dashboard/pages', access: 'write-pages', icon: 'edit', label: (words) => words.sitePages },
  { path: '/dashboard/storages', access: 'see-storages', icon: 'folder', label: (words) => words.storage },
  {
    path: '/dashboard/providers',
    access: 'manage-providers',
    icon: 'key',
    label: (words) => words.providers,
  },
  { path: '/dashboard/branding', access: 'change-settings', icon: 'sun', label: (words) => words.branding },
  {
    path: '/dashboard/settings',
    access: 'change-settings',
    icon: 'settings',
    label: (words) => words.settings,
  },
  { path: '/dashboard/audit', access: 'read-audit', icon: 'clock', label: (words) => words.audit },
]
