import assert from 'node:assert/strict'
import { test } from 'vitest'
import { addressOf, cookiesOf, shotsOf } from '../screenshots/shots.ts'
import { startWorld } from '../screenshots/world.ts'
import { ask } from '../support/delivered.ts'
import { sharedDecoders } from '../support/run/shared-decoders.ts'

test('every page has its headers, and nothing of it is inline', async () => {
  await using world = await startWorld({ decoders: sharedDecoders(), listed: 20 })
  for (const shot of shotsOf(world)) {
    const cookie = cookiesOf(shot, world.member)
      .map(({ name, value }) => `${name}=${value}`)
      .join()
    const asked = { accept: 'text/html', cookie }
    const { headers, text } = await ask(world, addressOf(shot, world.port), asked)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /, shot.name)
    assert.match(policy, /; require-trusted-types-for 'script'; trusted-types terrace-worker$/)
    assert.doesNotMatch(policy, /unsafe|\*|nonce|sha256/)
    const features = 'camera microphone geolocation payment usb serial bluetooth midi accelerometer gyroscope'
    for (const feature of [...features.split(' '), 'magnetometer', 'browsing-topics'])
      assert.ok(String(headers['permissions-policy']).includes(`${feature}=()`), feature)
    assert.ok(headers['referrer-policy'])
    assert.doesNotMatch(text, /<style|\sstyle=|\son[a-z]+="|<script>|javascript:/)
    if (shot.name.startsWith('viewer'))
      assert.ok(Buffer.byteLength(text) <= 24_000, `${shot.name}: ${Buffer.byteLength(text)} bytes`)
  }
})
