import type { Page } from 'playwright-core'

/** Looked at by ada, the administrator. */
export const member = { isMember: true } as const

/** Waits until the script has taken the list over: then its files can be selected. */
export const waitForSelection = (tab: Page) =>
  tab.locator('[data-clear]:not([hidden])').waitFor({ state: 'attached' })

/** Selects the files at these positions of the list. */
export async function select(tab: Page, positions: readonly number[]): Promise<void> {
  await waitForSelection(tab)
  for (const at of positions) await tab.getByRole('checkbox').nth(at).click()
  await tab.locator('.select-count', { hasText: String(positions.length) }).waitFor()
}

/** Sends the form of the log-in page. */
export async function sendLogIn(tab: Page, username: string, password: string): Promise<void> {
  await tab.getByLabel('User name or e-mail address').fill(username)
  await tab.getByLabel('Password').fill(password)
  await tab.keyboard.press('Enter')
}
