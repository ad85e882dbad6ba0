import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import type { TestApp } from '../harness.ts'
import type { visitAs } from '../pages.ts'

type Member = Awaited<ReturnType<typeof visitAs>>

/** Sets the second step up as a person does. */
export async function switchOn(app: TestApp, here: Member) {
  const { text } = await here.show('/settings/security/totp')
  const [, secret = ''] = /id="secret"[^>]* value="([A-Z2-7]+)"/.exec(text) ?? []
  const [, setup = ''] = /name="setup" value="([^"]+)"/.exec(text) ?? []
  const now = () => app.app.control.clock.now().getTime()
  // To the beginning of a time step, so that the test ends before the step does.
  app.wait(30 - ((now() / 1_000) % 30))
  const codeIn = (steps = 0) => new TOTP({ secret }).generate({ timestamp: now() + steps * 30_000 })
  const wrong = await here.send('/settings/security/totp', { setup, code: '000000' })
  assert.equal(wrong.status, 400)
  assert.ok(wrong.text.includes(secret), 'the same secret is shown again')
  const on = await here.send('/settings/security/totp', { setup, code: codeIn() })
  assert.deepEqual([on.status, on.headers['cache-control']], [200, 'no-store'])
  return { codeIn, secret, recovery: recoveryCodesIn(on.text) }
}

export const recoveryCodesIn = (text: string): string[] =>
  [...text.matchAll(/<li>((?:[a-z2-9]{4}-){3}[a-z2-9]{4})<\/li>/g)].map(([, code = '']) => code)
