import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'vitest'
import { attentionIn, startConsole } from '../support/console.ts'
import { onEachStore } from '../support/harness.ts'
import { heldBucket } from '../support/stores/held-bucket.ts'
import { cellsOfTable } from '../support/tables.ts'
import { ranOf, runHere, startTool } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { picture, uploaded } from '../support/uploads.ts'
import { recordedWork, workEnded, workOf } from '../support/work.ts'

/** A tenant with some files, and a bucket at which a move stops half-way. */
async function startWorld(store: 'sqlite' | 'postgres') {
  const bucket = await heldBucket(3)
  const app = await startConsole({ store })
  const cats = await app.tenant('cats')
  for (let seed = 1; seed <= 4; seed += 1) await uploaded(app, cats, { file: await picture({ seed }) })
  const command = ['tenants', 'move', '--id', 'cats', '--storage', bucket.url]
  return {
    app,
    bucket,
    command,
    move: () => runHere(command, app.environment),
    attention: async () => attentionIn((await app.console.get('')).text),
    moveRow: async () => cellsOfTable((await app.console.get('moves')).text).byHeader.get('cats') ?? [],
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await bucket[Symbol.asyncDispose]()
    },
  }
}

const failedMove = '1 move failed > moves'

onEachStore('a move of the tool', (store) => {
  test('is watched in the console, which cancels it, and moves the tenant if it is repeated', async () => {
    await using world = await startWorld(store)
    const { app, bucket } = world
    const ran = world.move()
    await until(bucket.isHolding, 'the move is half-way')
    const [row] = await workOf(app)
    const [state = '', , , by] = await world.moveRow()
    assert.deepEqual([state.split(/\s/)[0], by], ['Running', 'the terrace command'])
    assert.deepEqual(await world.attention(), ['1 move is running > moves'])
    assert.match((await app.console.get('tenants/cats/place')).text, new RegExp(`moves/${row?.id}`))
    assert.equal((await app.console.post('tenants/cats/move')).status, 409)
    await until(async () => (await app.console.get(`-/work/${row?.id}`)).json.done > 0, 'progress is seen')

    const other = await world.move()
    assert.deepEqual([other.code, other.out], [1, ''])
    assert.match(other.err, /is being moved/)

    assert.equal((await app.console.post(`moves/${row?.id}/cancel`)).status, 303)
    assert.match((await world.moveRow())[0] ?? '', /^Cancelling/)
    // The tool reads the wish when it renews its lease.
    const leaseOf = async () => (await workOf(app))[0]?.leasedUntil
    const lease = await leaseOf()
    await until(async () => (await leaseOf()) !== lease, 'the tool has read the wish')
    bucket.release()
    const { code, err } = await ran
    assert.equal(code, 1)
    assert.match(err, /The work was cancelled/)
    assert.equal((await world.moveRow())[0], 'Cancelled')
    assert.deepEqual(await world.attention(), [])

    assert.equal((await world.move()).code, 0)
    const [, moved] = await workOf(app)
    assert.equal(moved?.state, 'done')
    assert.match((await app.console.get(`moves/${moved?.id}`)).text, /\d+ files and 0 rows were copied/)
    assert.deepEqual(await recordedWork(app), [
      'move.started cats tool',
      'move.cancelled cats operator grace',
      'move.started cats tool',
      'move.finished cats tool',
    ])
  })

  test('that is killed has failed: no server goes on with it, and another one mends it', {
    timeout: 60_000,
  }, async () => {
    await using world = await startWorld(store)
    const { app, bucket } = world
    const victim = startTool(world.command, app.environment)
    await until(bucket.isHolding, 'the move is half-way')
    victim.kill('SIGKILL')
    await once(victim, 'exit')
    const [ended] = await workEnded(app)
    assert.equal(ended?.state, 'failed')
    assert.match((await app.console.get(`moves/${ended?.id}`)).text, /stopped before it had finished/)
    assert.deepEqual(await world.attention(), [failedMove])
    bucket.release()
    const { code, err } = await ranOf(startTool(world.command, app.environment))
    assert.equal(code, 0, err)
    assert.deepEqual(await world.attention(), [])
    assert.deepEqual(await recordedWork(app), [
      'move.started cats tool',
      'move.failed cats tool',
      'move.started cats tool',
      'move.finished cats tool',
    ])
  })
})
