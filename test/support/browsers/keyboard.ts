import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const nameOfFocused = `(() => {
  const focused = document.activeElement
  return focused?.ariaLabel || focused?.labels?.[0]?.innerText || focused?.innerText || ''
})()`

/** Tab by tab to what has this name, as somebody without a mouse. Works without script in the page. */
export async function reach(tab: Page, name: string): Promise<void> {
  for (let steps = 0; steps < 250; steps += 1) {
    const focused = String(await tab.evaluate(nameOfFocused)).trim()
    if (focused === name) return
    await tab.keyboard.press('Tab')
  }
  assert.fail(`Nothing named ${name} has the focus.`)
}

export async function reachAndPress(tab: Page, name: string, key = 'Enter'): Promise<void> {
  await reach(tab, name)
  await tab.keyboard.press(key)
}

/** In place of what the field has. */
export async function typeInto(tab: Page, label: string, text: string): Promise<void> {
  await reach(tab, label)
  await tab.keyboard.press('Control+A')
  await tab.keyboard.type(text)
}
