import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { emptyPages, hostilePages, seedHostile } from '../../screenshots/hostile-console.ts'
import { layoutFaults } from '../../support/browsers/look.ts'
import { type BrowserConsole, startBrowserConsole } from '../../support/console.ts'
import { needing } from '../../support/needs.ts'

const browsing = await needing('chromium')
const widths = [1920, 1280, 768, 390]

for (const [world, pages, seed] of [
  ['whose texts are as long and odd as they may be', hostilePages, seedHostile],
  ['without tenants', emptyPages, undefined],
] as const)
  browsing.describe(`a console ${world}`, () => {
    let place: BrowserConsole
    beforeAll(async () => {
      // Each page is opened in each language within a minute.
      place = await startBrowserConsole({ environment: { SERVICE_RATE_READS: '0' } })
      await seed?.(place.app)
    })
    afterAll(async () => {
      await place?.[Symbol.asyncDispose]()
    })

    test.for(['en', 'de', 'es'])(
      'fits every width in %s, cuts nothing off and takes no text for markup',
      { timeout: 600_000 },
      async (locale) => {
        const found: string[] = []
        const tab = await place.open({ locale, reducedMotion: 'reduce' })
        tab.on('dialog', () => found.push('a text ran as script'))
        for (const path of pages) {
          await tab.goto(place.at(path))
          assert.equal(await tab.locator('.console-rail').count(), 1, `${path} has its frame`)
          assert.equal(await tab.locator('img[src="x"]').count(), 0, `${path} takes a text for markup`)
          for (const width of widths)
            found.push(...(await layoutFaults(tab, width)).map((fault) => `${path}: ${fault}`))
        }
        assert.deepEqual(found, [])
      },
    )
  })
