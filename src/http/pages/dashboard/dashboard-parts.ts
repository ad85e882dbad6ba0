import type { IconName } from '../parts/icon.ts'
import type { Words } from '../words/en.ts'

/** An entry of the navigation beside the pages of the dashboard. */
export interface DashboardPart {
  path: `/dashboard${string}`
  /** Who sees it; its pages in `dashboard-pages.ts` have the same access. */
  access: 'staff' | 'administrator'
  icon: IconName
  label: (words: Words) => string
}

/** Every part of the dashboard, in the order shown. */
export const dashboardParts: readonly DashboardPart[] = [
  { path: '/dashboard', access: 'staff', icon: 'chart', label: (words) => words.overview },
  { path: '/dashboard/queue', access: 'staff', icon: 'queue', label: (words) => words.queuePart },
  { path: '/dashboard/reports', access: 'staff', icon: 'warning', label: (words) => words.reportsPart },
  { path: '/dashboard/files', access: 'staff', icon: 'picture', label: (words) => words.filesTab },
  { path: '/dashboard/users', access: 'staff', icon: 'people', label: (words) => words.users },
  { path: '/dashboard/albums', access: 'administrator', icon: 'albums', label: (words) => words.albums },
  {
    path: '/dashboard/categories',
    access: 'administrator',
    icon: 'category',
    label: (words) => words.categories,
  },
  { path: '/dashboard/tags', access: 'administrator', icon: 'tag', label: (words) => words.tags },
  { path: '/dashboard/pages', access: 'administrator', icon: 'edit', label: (words) => words.sitePages },
  { path: '/dashboard/storages', access: 'administrator', icon: 'folder', label: (words) => words.storage },
  { path: '/dashboard/providers', access: 'administrator', icon: 'key', label: (words) => words.providers },
  { path: '/dashboard/branding', access: 'administrator', icon: 'sun', label: (words) => words.branding },
  {
    path: '/dashboard/settings',
    access: 'administrator',
    icon: 'settings',
    label: (words) => words.settings,
  },
  { path: '/dashboard/audit', access: 'administrator', icon: 'clock', label: (words) => words.audit },
]
