import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { documentedBlock } from '../support/proxies.ts'
import { readYaml } from '../support/yaml.ts'

const yamlOf = (place: number): any => readYaml(documentedBlock('yaml', place))[0]

describe('the configuration of Traefik in docs/operations.md', () => {
  test('has the time-outs of Terrace and removes what clients send', () => {
    const { entryPoints, serversTransport, providers } = yamlOf(0)
    const { forwardedHeaders, transport, http } = entryPoints.websecure
    assert.equal(forwardedHeaders.insecure, false)
    assert.equal(transport.respondingTimeouts.readTimeout, '300s')
    assert.deepEqual(serversTransport.forwardingTimeouts, {
      dialTimeout: '5s',
      responseHeaderTimeout: '300s',
      idleConnTimeout: '60s',
    })
    assert.match(providers.http.endpoint, /\/_\/api\/4\/config\/proxy$/)

    // A middleware that is named and not there takes the entry point down.
    const { middlewares } = yamlOf(1).http
    assert.deepEqual(
      http.middlewares,
      Object.keys(middlewares).map((name) => `${name}@file`),
    )
    assert.deepEqual(middlewares.clear.headers.customRequestHeaders, { Forwarded: '', 'X-Terrace-Accel': '' })
  })
})
