import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { compose } from '../support/project/deployment-files.ts'
import { readYaml } from '../support/project/yaml.ts'
import { documentedBlock } from '../support/servers/proxies.ts'

const yamlOf = (place: number): any => readYaml(documentedBlock('yaml', place))[0]

test('no documented proxy limits the whole request', () => {
  assert.doesNotMatch(documentedBlock('caddyfile'), /^\s*(?:read_body|write|read_timeout|write_timeout)\b/m)
  const { entrypoint } = compose.services.traefik ?? assert.fail('compose.yaml has no Traefik')
  assert.match(String(entrypoint), /--entryPoints\.web\.transport\.respondingTimeouts\.readTimeout=0s\s/)
})

describe('the configuration of Traefik in docs/operations.md', () => {
  test('has the time-outs of Terrace and removes what clients send', () => {
    const { entryPoints, serversTransport, providers } = yamlOf(0)
    const { forwardedHeaders, transport, http } = entryPoints.websecure
    assert.equal(forwardedHeaders.insecure, false)
    // Its default of 60 s would end an upload that is still arriving.
    assert.deepEqual(transport.respondingTimeouts, {
      readTimeout: '0s',
      writeTimeout: '0s',
      idleTimeout: '120s',
    })
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
