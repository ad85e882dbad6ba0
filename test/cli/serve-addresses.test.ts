import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'
import { test } from 'vitest'
import { freshInstallation } from '../support/tool.ts'

const hasIpv6Loopback = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1')
const addresses = hasIpv6Loopback ? ['127.0.0.1', '::1'] : ['127.0.0.1']
const urlOf = (address: string, port: number) =>
  `http://${address.includes(':') ? `[${address}]` : address}:${port}/`

test('the first site answers at both loopback addresses', async () => {
  await using installation = await freshInstallation()
  await using served = await installation.serve()
  for (const address of addresses) {
    const response = await fetch(urlOf(address, served.port))
    assert.equal(response.status, 200)
    assert.match(await response.text(), /<html/)
    assert.match(await answerToNoRequest(address, served.port), /^HTTP\/1\.1 400 /)
  }
  assert.equal(await served.ended('SIGTERM'), 0)
})

test('a server whose settings name addresses answers at the first one alone', async () => {
  await using installation = await freshInstallation()
  for (const name of ['SERVICE_TRUSTED_PROXIES', 'SERVICE_TENANTS_API_IP_ALLOW_LIST']) {
    await using served = await installation.serve({ [name]: '127.0.0.1' })
    assert.equal((await fetch(urlOf('127.0.0.1', served.port))).status, 200)
    await assert.rejects(fetch(urlOf('::1', served.port)))
  }
})

async function answerToNoRequest(address: string, port: number): Promise<string> {
  const socket = connect(port, address)
  socket.end('no request\r\n\r\n')
  return text(socket)
}
