import type { Shot } from './shots.ts'
import { member } from './steps.ts'

/** The dashboard, as its administrator sees it. */
export const dashboardShots: readonly Shot[] = [
  {
    name: 'dashboard',
    path: '/dashboard',
    ...member,
    prepare: (tab) => tab.locator('[data-is-drawn] canvas').nth(2).waitFor(),
  },
  { name: 'dashboard-audit', path: '/dashboard/audit', ...member },
  { name: 'dashboard-queue', path: '/dashboard/queue', ...member },
  { name: 'dashboard-reports', path: '/dashboard/reports', ...member },
  { name: 'dashboard-storages', path: '/dashboard/storages', ...member },
  { name: 'dashboard-files', path: '/dashboard/files', ...member },
  { name: 'dashboard-users', path: '/dashboard/users', ...member },
  { name: 'dashboard-users-new', path: '/dashboard/users/new', ...member },
  {
    name: 'dashboard-user',
    path: '/dashboard/users',
    ...member,
    async prepare(tab) {
      await tab.getByRole('link', { name: 'berta' }).click()
      await tab.getByRole('heading', { name: 'berta' }).waitFor()
    },
  },
  {
    name: 'dashboard-user-delete',
    path: '/dashboard/users',
    ...member,
    async prepare(tab) {
      await tab.getByRole('link', { name: 'berta' }).click()
      await tab.getByRole('link', { name: 'Delete user' }).click()
      await tab.getByRole('heading', { name: 'Delete berta?' }).waitFor()
    },
  },
  { name: 'dashboard-albums', path: '/dashboard/albums', ...member },
  { name: 'dashboard-categories', path: '/dashboard/categories', ...member },
  {
    name: 'dashboard-tags',
    path: '/dashboard/tags',
    ...member,
    prepare: (tab) => tab.getByText('Rename', { exact: true }).first().click(),
  },
  { name: 'dashboard-german', path: '/dashboard/users', language: 'de', ...member },
]
