import assert from 'node:assert/strict'
import { test } from 'vitest'
import { addProvider } from '../support/clients/connecting.ts'
import { startTestApp } from '../support/harness.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { startLoginProvider } from '../support/servers/login-provider.ts'
import { listen, say } from '../support/servers/url-fetch-tools.ts'
import { until } from '../support/until.ts'
import { picture, upload } from '../support/uploads.ts'

test('a page says that a provider does not answer', async () => {
  await using login = await startLoginProvider()
  await using app = await startTestApp({ environment: { SERVICE_LOGIN_PROVIDER_ALLOW: login.allow } })
  const cats = await app.tenant('cats')
  await addProvider(app, cats, login, { name: 'office' })
  login.answer = () => {}
  const answer = await askPage(app, cats, 'GET /connect/office')
  assert.equal(answer.status, 503)
  assert.match(answer.text, /We can’t reach the provider right now/)
})

test('a provider that says nothing takes no slot from uploads by URL', async () => {
  const png = await picture()
  const head = `HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: ${png.length}\r\n\r\n`
  await using pictures = await listen(say(Buffer.concat([Buffer.from(head), png])))
  await using login = await startLoginProvider()
  await using app = await startTestApp({
    environment: {
      SERVICE_LOGIN_PROVIDER_ALLOW: login.allow,
      SERVICE_UPLOAD_URL_ALLOW: `localhost:${pictures.port}`,
    },
  })
  const cats = await app.tenant('cats')
  await addProvider(app, cats, login, { name: 'office' })
  login.answer = () => {}
  login.requests = 0
  const here = await visitAs(app, cats)
  // A check reads the discovery document each time; log-ins that begin together share one reading.
  const checks = Array.from({ length: 9 }, () => here.send('/dashboard/providers/office/check', {}))
  await until(() => login.requests === 8, 'the provider is asked as often as a site may')
  const uploaded = await upload(app, cats, { form: { source: `http://localhost:${pictures.port}/cat.png` } })
  assert.equal(uploaded.status, 200, uploaded.text)
  for (const { text } of await Promise.all(checks)) assert.match(text, /We couldn’t reach the provider/)
})
