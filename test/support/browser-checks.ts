import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** Violations of the policy, and scripts that fail, as they happen. */
export function watchFaults(tab: Page): readonly string[] {
  const found: string[] = []
  tab.on('pageerror', (error) => found.push(error.message))
  tab.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML/i.test(message.text())) found.push(message.text())
  })
  return found
}

/** What axe finds on the page that is moderate or worse. */
export async function axeFindings(tab: Page): Promise<string[]> {
  const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
  await tab.evaluate(`${axe}; undefined`)
  return tab.evaluate(
    `axe.run(document).then(({ violations }) => violations.filter(({ impact }) => impact !== 'minor').map(({ id, nodes }) => id + nodes.map(({ html }) => html)))`,
  ) as Promise<string[]>
}
