import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { test } from 'vitest'
import { contrast, hueOf, parseHex, type Rgb, writeHex } from '../../src/lib/colours.ts'
import { backgrounds, brandColours, brandSheet, leastContrast, type Theme } from '../../src/pages/brand.ts'
import { runsOf } from '../support/tiers.ts'

const part = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 255))
const colour: fc.Arbitrary<Rgb> = fc.tuple(part, part, part)
const themes: readonly Theme[] = ['light', 'dark']

test('every accent can be read on all grounds, on its own tint, and under black or white', () => {
  fc.assert(
    fc.property(colour, (chosen) => {
      for (const theme of themes) {
        const { accent, onAccent, soft } = brandColours(chosen, theme)
        const on = [...backgrounds[theme], soft].map((background) => contrast(accent, background))
        assert.ok(Math.min(...on) >= leastContrast, `${writeHex(chosen)} ${theme} ${on}`)
        assert.ok(contrast(onAccent, accent) >= leastContrast, `${writeHex(chosen)} ${theme} on it`)
      }
    }),
    {
      numRuns: runsOf(3_000),
      examples: [[[0, 0, 0]], [[255, 255, 255]]],
    },
  )
})

test('an accent that can be read stays as it is, and a moved one keeps its hue', () => {
  const green = parseHex('#1d6652') ?? [0, 0, 0]
  assert.deepEqual(brandColours(green, 'light').accent, green)
  for (const text of ['#ff0000', '#ffcc00', '#00aaff', '#7700ff', '#00cc66']) {
    const chosen = parseHex(text) ?? [0, 0, 0]
    for (const theme of themes) {
      const turned = Math.abs(hueOf(brandColours(chosen, theme).accent) - hueOf(chosen))
      assert.ok(Math.min(turned, 2 * Math.PI - turned) < 0.1, `${text} ${theme} ${turned}`)
    }
  }
})

test('the grounds are those of the stylesheet, and other texts are no accent', () => {
  const tokens = readFileSync(new URL('../../web/styles/tokens.css', import.meta.url), 'utf8')
  for (const [index, name] of ['paper', 'raised', 'sunken'].entries()) {
    const both = themes.map((theme) => writeHex(backgrounds[theme][index] ?? [0, 0, 0])).join(', ')
    assert.ok(tokens.includes(`--${name}: light-dark(${both})`), `${name} ${both}`)
  }
  for (const text of ['', 'red', '#fff', '#12345g', '#1234567', 'url(x)'])
    assert.equal(brandSheet(text), undefined)
  assert.equal(brandSheet('#ABCDEF')?.path, brandSheet('#abcdef')?.path)
})
