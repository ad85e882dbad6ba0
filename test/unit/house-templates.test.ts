import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { iconNames } from '../../src/ui/parts/icon.ts'
import { type Files, filesOfProject, readHouse } from '../support/project/house.ts'

/** What the content security policy would stop, in the templates of the server. */
const inline =
  /\sstyle=|\son[a-z]+=["'$]|<style|<script(?! type="(?:module|application\/(?:ld\+)?json)")|javascript:/

/** Packages that browsers may load. */
const forBrowsers = /^(preact|photoswipe|uplot|tus-js-client|thumbhash)(\/|$)/

function inlineParts(files: Files): string[] {
  return [...files].flatMap(([path, text]) => {
    if (!/^src\/(ui|pages|console)\//.test(path)) return []
    return [...text.matchAll(/html`[^`]*`/g)]
      .filter(([template]) => inline.test(template))
      .map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`)
  })
}

function strayPackages(files: Files): string[] {
  return readHouse(files).imports.flatMap(({ from, at, to, target }) => {
    const isStray = from.startsWith('web/') && target === undefined && !forBrowsers.test(to)
    // The build is a program of Node.
    return isStray && from !== 'web/build.ts' ? [`${at}: ${to}`] : []
  })
}

describe('templates', () => {
  test('have no inline style, handler or script', () => assert.deepEqual(inlineParts(filesOfProject()), []))

  test('and one that has is named', () => {
    const faulty = [
      '<b style="x">',
      '<b onclick="x">',
      '<style>',
      '<script>x',
      '<script src="x">',
      '<a href="javascript:x">',
    ]
    for (const markup of faulty)
      assert.deepEqual(
        inlineParts(new Map([['src/pages/a.ts', `\nhtml\`${markup}\``]])),
        ['src/pages/a.ts:2'],
        markup,
      )
    const fine = 'html`<script type="module" src="x"></script><p class="style">once = on</p>`'
    assert.deepEqual(inlineParts(new Map([['src/pages/a.ts', fine]])), [])
  })

  test('name every icon of the sprite, and no other', () => {
    const sprite = readFileSync(new URL('../../web/icons/icons.svg', import.meta.url), 'utf8')
    const drawn = [...sprite.matchAll(/<symbol id="([^"]+)"/g)].map(([, id]) => id)
    assert.deepEqual(drawn.sort(), [...iconNames].sort())
  })
})

describe('the code of the browser', () => {
  test('loads only packages that are meant for it', () =>
    assert.deepEqual(strayPackages(filesOfProject()), []))

  test('and another one is named', () => {
    const files = new Map([
      ['web/a.ts', `import 'preact'\nimport 'lodash'\nimport './b.ts'\n`],
      ['web/build.ts', `import 'esbuild'\n`],
    ])
    assert.deepEqual(strayPackages(files), ['web/a.ts:2: lodash'])
  })
})
