import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { startBrowser } from '../support/browsers/browser.ts'
import { ask } from '../support/delivered.ts'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { picture, set, uploaded } from '../support/uploads.ts'

const page = '<!doctype html><html><body onload="alert(1)"><script>alert(1)</script></body></html>'
const program = '*/=1;alert(1);/*'

const browsing = await needing('chromium')
browsing.describe('a picture that is also a page or a program', () => {
  test('never runs, neither by itself nor in the page of another site', async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    await using evil = await startEvil()
    const cats = await app.tenant('cats')
    await set(app, cats, { enable_svg: '1', metadata: 'keep' })
    const files: Record<string, Buffer> = {
      'a.gif': gifProgram(),
      'b.jpg': withJpegComment(await picture({ format: 'jpeg' })),
      'c.png': withPngText(await picture()),
      'd.png': Buffer.concat([await picture({ seed: 2 }), Buffer.from(page)]),
      'e.jpg': Buffer.concat([await picture({ format: 'jpeg', seed: 3 }), Buffer.from(page)]),
      'f.svg': Buffer.from(drawingFor(evil.url)),
    }
    const tab = await browser.newPage()
    const dialogs: string[] = []
    tab.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    // The trap works: the same bytes run where they are served as what they are not.
    evil.serve('/trap.js', 'text/javascript', gifProgram())
    await embedded(tab, evil.url, '<script src="/trap.js"></script>')
    assert.deepEqual(dialogs.splice(0), ['1'])

    for (const [fileName, file] of Object.entries(files)) {
      const image = await uploaded(app, cats, { file, fileName })
      assert.ok((await ask(app, image.url)).bytes.includes('alert(1)'), fileName)
      for (const url of [image.url, image.thumb.url]) {
        await tab.goto(url)
        await settle(tab)
        const frames = `<iframe src="${url}"></iframe><object data="${url}"></object><embed src="${url}"><img src="${url}">`
        const parts = `<script src="${url}"></script><link rel="stylesheet" href="${url}"><iframe src="${url}" sandbox="allow-scripts"></iframe>`
        await embedded(tab, evil.url, frames + parts)
      }
      await tab.goto(image.url_viewer)
      await settle(tab)
      assert.deepEqual(dialogs, [], fileName)
    }
    assert.deepEqual(
      evil.asked.filter((path) => path.startsWith('/ping')),
      [],
    )
  })
})

/** An SVG that tries everything. */
const drawingFor = (
  evil: string,
) => `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="30" onload="alert(1)">
<script>alert(1)</script><script href="data:text/javascript,alert(1)"/>
<style>@import "${evil}/ping-style"; rect { fill: url(${evil}/ping-fill#a) }</style>
<rect width="40" height="30"/><image href="${evil}/ping-image" width="9" height="9"/>
<foreignObject width="40" height="30"><iframe xmlns="http://www.w3.org/1999/xhtml" srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;"/>
<body xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"><img src="x" onerror="alert(1)"/></body></foreignObject>
<animate attributeName="href" values="javascript:alert(1)"/></svg>`

/** Its width reads as the beginning of a comment, and its own comment as the end of that. */
function gifProgram(): Buffer {
  const screen = Buffer.from([0x2f, 0x2a, 1, 0, 0x80, 0, 0])
  const colours = Buffer.from([255, 255, 255, 0, 0, 0])
  const comment = Buffer.concat([
    Buffer.from([0x21, 0xfe, program.length]),
    Buffer.from(program),
    Buffer.from([0]),
  ])
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b])
  return Buffer.concat([Buffer.from('GIF89a'), screen, colours, comment, frame, Buffer.from('*/')])
}

function withJpegComment(jpeg: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xfe, 0, 0])
  head.writeUInt16BE(page.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, Buffer.from(page), jpeg.subarray(2)])
}

function withPngText(png: Buffer): Buffer {
  const body = Buffer.from(`tEXtComment\0${page}`)
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(body.length - 4, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)])
}

/** Whatever would run has run by then. */
const settle = (tab: Page) => tab.waitForTimeout(150)

async function embedded(tab: Page, url: string, markup: string): Promise<void> {
  await tab.goto(`${url}/?${encodeURIComponent(markup)}`)
  await settle(tab)
}

/** A site that shows whatever its address says. */
async function startEvil() {
  const served = new Map<string, { type: string; bytes: Buffer }>()
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://evil.test')
    asked.push(pathname)
    const known = served.get(pathname)
    response.setHeader('content-type', known?.type ?? 'text/html')
    response.end(known?.bytes ?? decodeURIComponent(search.slice(1)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://evil.test:${(server.address() as AddressInfo).port}`,
    asked,
    serve: (path: string, type: string, bytes: Buffer) => served.set(path, { type, bytes }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
