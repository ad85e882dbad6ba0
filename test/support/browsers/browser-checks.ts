import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
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

const axe = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

/** What axe finds on the page that is moderate or worse, by all of its rules or by these. */
export async function axeFindings(tab: Page, runOnly?: readonly string[]): Promise<string[]> {
  if (!(await tab.evaluate("'axe' in window"))) await tab.evaluate(`${axe}; undefined`)
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly })
  const { violations } = (await tab.evaluate(`axe.run(document, ${options})`)) as AxeResults
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .map(({ id, impact, nodes }) => {
      const places = nodes.map(({ html }) => html).slice(0, 3)
      return `axe ${impact} ${id}: ${places.join(' ')}`
    })
}
