import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, sendRequest, startTestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { startChildServer } from '../support/servers/child-server.ts'
import { startPurgeEndpoint } from '../support/servers/purge-endpoint.ts'
import { until } from '../support/until.ts'
import { picture, uploaded } from '../support/uploads.ts'

const rounds = 6

onEachStore('a server that is killed after a deletion', (store) => {
  test('has sent its purge, or the next one does', { timeout: 240_000 }, async () => {
    await using endpoint = await startPurgeEndpoint()
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const ids: string[] = []
    for (let seed = 0; seed < rounds; seed += 1)
      ids.push((await uploaded(app, cats, { file: await picture({ seed }) })).id_encoded)
    const environment = { ...app.environment, ...endpoint.environment, SERVICE_LOG_LEVEL: 'warn' }
    let output = ''
    // The first purges hang, so that some kills come while they are sent.
    endpoint.answering = () => undefined
    for (const [round, id] of ids.entries()) {
      await using server = await startChildServer(environment)
      if (round === rounds / 2) endpoint.answering = 204
      const { status } = await ask5({ send: sendTo(server.port) }, cats, `DELETE files/${id}`, { key })
      assert.equal(status, 204)
      if (round % 2 === 1) await until(() => tagsOf(endpoint.attempts).has(`f-${id}`), 'its purge is sent')
      server.child.kill('SIGKILL')
      output += server.output()
    }
    await using last = await startChildServer(environment)
    await until(() => ids.every((id) => tagsOf(endpoint.attempts).has(`f-${id}`)), 'every purge is sent')
    output += last.output()
    for (const secret of ['whsec_', endpoint.environment.SERVICE_PURGE_SECRET.slice(6), 'canary-of-the-url'])
      assert.ok(!output.includes(secret), `the log has ${secret}`)
  })

  test('leaves rows that a job passes on', { timeout: 60_000 }, async () => {
    await using endpoint = await startPurgeEndpoint()
    await using app = await startTestApp({ store, environment: endpoint.environment })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { id_encoded: id } = await uploaded(app, cats)
    const { purges } = app.app.control.sites
    // As if the process had ended with the commit.
    purges?.onAdded(() => undefined)
    assert.equal((await ask5(app, cats, `DELETE files/${id}`, { key })).status, 204)
    assert.deepEqual(purges?.takeAll().length, 1)
    await using next = await startTestApp({ store, beside: app })
    next.wait(60)
    await doDueJobs(next)
    const [purge] = await endpoint.next()
    assert.deepEqual(purge?.tags, [`f-${id}`])
  })
})

const tagsOf = (attempts: readonly { tags: string[] }[]) => new Set(attempts.flatMap(({ tags }) => tags))

const sendTo =
  (port: number): Parameters<typeof ask5>[0]['send'] =>
  (method, path, call) =>
    sendRequest(port, method, path, call)
