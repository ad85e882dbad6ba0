import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { toolOfCats } from '../support/tool.ts'
import { picture, set, uploaded } from '../support/uploads.ts'

/** Three files of a site: the first has two reports, which hide it, the second one, the third none. */
async function prepareReports(app: TestApp) {
  const cats = await app.tenant('cats')
  await set(app, cats, { report_hide: '2' })
  const upload = async (seed: number) =>
    uploaded(app, cats, { file: await picture({ seed }), fileName: `p${seed}.png` })
  const [first, second, third] = [await upload(1), await upload(2), await upload(3)]
  const report = async (image: { id_encoded: string }, from: number, body: object) =>
    assert.equal(
      (
        await ask5(app, cats, `POST files/${image.id_encoded}/reports`, {
          body,
          headers: { 'x-forwarded-for': `192.0.2.${from}` },
        })
      ).status,
      204,
    )
  await report(first, 1, { reason: 'spam' })
  app.wait(1)
  await report(second, 1, { reason: 'other', text: 'Mine \u001b[31m' })
  await report(first, 2, { reason: 'abuse' })
  return { cats, first, second, third, ...toolOfCats(app.environment) }
}

const environment = { SERVICE_TRUSTED_PROXIES: '127.0.0.1' }

onEachStore('reported files', (store) => {
  test('are listed with their reasons and texts', async () => {
    await using app = await startTestApp({ store, environment })
    const { first, second, run, json } = await prepareReports(app)
    const listed = await json('report:list')
    assert.deepEqual(
      listed.map(({ first_at: _, texts, ...rest }: any) => ({
        ...rest,
        texts: texts.map(({ text, username }: any) => [text, username]),
      })),
      [
        {
          id: first.id_encoded,
          filename: 'p1.png',
          username: 'ada',
          is_hidden: true,
          reports: 2,
          reasons: [
            { reason: 'abuse', count: 1 },
            { reason: 'spam', count: 1 },
          ],
          texts: [],
        },
        {
          id: second.id_encoded,
          filename: 'p2.png',
          username: 'ada',
          is_hidden: false,
          reports: 1,
          reasons: [{ reason: 'other', count: 1 }],
          texts: [['Mine \u001b[31m', null]],
        },
      ],
    )
    const table = await run('report:list', '--limit', '1')
    assert.match(
      table.out,
      /^ID\tNAME\tUSER\tREPORTS\tREASONS\tHIDDEN\tFIRST\n\S+\tp1\.png\tada\t2\tabuse, spam\tyes\t/,
    )
    assert.match(table.err, /There are more/)
  })

  test('are kept or removed together, or not at all', async () => {
    await using app = await startTestApp({ store, environment })
    const { first, third, run, json } = await prepareReports(app)
    for (const verb of ['report:keep', 'report:remove']) {
      const unknown = await run(verb, '--id', `${first.id_encoded},nobody`)
      assert.deepEqual([unknown.code, unknown.err], [1, 'There is no file "nobody".\n'])
      const unreported = await run(verb, '--id', `${first.id_encoded},${third.id_encoded}`)
      assert.deepEqual(
        [unreported.code, unreported.err],
        [1, `The file "${third.id_encoded}" has no open report.\n`],
      )
      assert.equal((await run(verb)).code, 2)
    }
    assert.equal((await json('report:list')).length, 2, 'all or none')
  })

  test('are served again when they are kept, and trashed when they are removed', async () => {
    await using app = await startTestApp({ store, environment })
    const { cats, first, second, run, json } = await prepareReports(app)
    assert.equal((await ask(app, first.url)).status, 404)
    assert.equal((await run('report:keep', '--id', first.id_encoded)).out, 'Kept 1 file.\n')
    assert.equal((await ask(app, first.url)).status, 200)
    assert.deepEqual(await json('report:remove', '--id', second.id_encoded), { removed: 1 })
    assert.equal((await ask(app, second.url)).status, 404)
    assert.deepEqual(
      (await json('trash:list')).map(({ id }: { id: string }) => id),
      [second.id_encoded],
    )
    assert.equal((await run('report:list')).err, 'There are no reported files.\n')

    const key = await keyOf(app, cats, 'admin')
    const { data } = (await ask5(app, cats, 'GET audit?limit=10', { key })).json
    assert.deepEqual(
      data.slice(1, 3).map(({ verb, actor, target }: any) => [verb, actor.kind ?? actor, target]),
      [
        ['file.trashed', 'tool', second.id_encoded],
        ['file.kept', 'tool', first.id_encoded],
      ],
    )
  })

  test('are removed for good by a site without a trash', async () => {
    await using app = await startTestApp({ store, environment })
    const { cats, second, run, json } = await prepareReports(app)
    await set(app, cats, { trash_days: '0' })
    assert.equal((await run('report:remove', '--id', second.id_encoded)).code, 0)
    assert.deepEqual(await json('trash:list'), [])
  })

  test('are none at first', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    const { run } = toolOfCats(app.environment)
    const none = await run('report:list')
    assert.deepEqual([none.code, none.out, none.err], [0, '', 'There are no reported files.\n'])
  })
})
