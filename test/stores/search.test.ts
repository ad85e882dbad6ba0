import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { insertSiteRows, siteRowPages } from '../../src/db/index.ts'
import { createAlbum, type FileSelection, readQuery } from '../../src/media/index.ts'
import { pageByRelevance } from '../../src/media/search/relevance-table.ts'
import type { ChangingSite } from '../../src/site/index.ts'
import { inParallel } from '../support/faults/in-parallel.ts'
import { type ModelFile, modelClass, modelPositions, modelQuery } from '../support/fixtures/search-model.ts'
import { insertModelFiles } from '../support/fixtures/search-rows.ts'
import { modelFile, queryText } from '../support/fixtures/search-texts.ts'
import { onBothStores, startTestApp } from '../support/harness.ts'
import { copyFiles, doDueJobs } from '../support/jobs.ts'
import { analyzeDatabase } from '../support/stores/postgres.ts'
import { fewInQuick, runsOf } from '../support/tiers.ts'
import { onSiteOf, uploaded } from '../support/uploads.ts'

const seesAll = { seesAll: true, userId: undefined, albumId: undefined, listsOthers: true }

/** Files by class, each class from the newest on; undefined for a query that is refused. */
async function foundBy(
  site: ChangingSite,
  text: string,
  selection: FileSelection = {},
): Promise<string[] | undefined> {
  let query: ReturnType<typeof readQuery>
  try {
    query = readQuery(text)
  } catch {
    return undefined
  }
  const page = { selection: { ...selection, query }, after: undefined, limit: 1_000, hasExif: false }
  const found = await pageByRelevance(site, seesAll, page)
  return found.map(({ position, file }) => `${position.value} ${file.id}`)
}

function modelFound(files: readonly ReturnType<typeof modelPositions>[], text: string): string[] | undefined {
  const query = modelQuery(text)
  if (!query) return undefined
  const found = files.flatMap((places, index) => {
    const inClass = modelClass(places, query)
    return inClass === undefined ? [] : [{ inClass, index }]
  })
  return found
    .sort((one, two) => one.inClass - two.inClass || two.index - one.index)
    .map(({ inClass, index }) => `${inClass} f${index}`)
}

/** Both stores are asked the same queries, of which some repeat: the model answers each once. */
const answersOfModel = new Map<string, string[] | undefined>()

function answerOfModel(
  files: readonly ReturnType<typeof modelPositions>[],
  text: string,
): string[] | undefined {
  if (!answersOfModel.has(text)) answersOfModel.set(text, modelFound(files, text))
  return answersOfModel.get(text)
}

onBothStores('the search', (store) => {
  test('finds in any script what a naive model finds, in its order', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const files = fc.sample(modelFile, { numRuns: 150, seed: 7 })
    await onSiteOf(app, cats, async (site) => {
      await insertModelFiles(site, files)
      const { SERVICE_DATABASE_URL: url } = app.environment
      if (url !== undefined) await analyzeDatabase(url)
      const places = files.map(modelPositions)
      let hits = 0
      const ids = files.map((_, index) => `f${index}`)
      const queries = fewInQuick(
        fc.sample(queryText, { numRuns: 10_000, seed: 11 }),
        store === 'sqlite' ? 200 : 60,
      )
      await inParallel(queries.entries(), 4, async ([index, text]) => {
        const expected = answerOfModel(places, text)
        assert.deepEqual(await foundBy(site, text), expected, text)
        // A list of few files compares their words without the index.
        if (index % 4 === 0) assert.deepEqual(await foundBy(site, text, { ids }), expected, text)
        hits += expected?.length ?? 0
      })
      // Otherwise the queries would miss the texts.
      assert.ok(hits > queries.length, `${hits} hits`)
    })
  }, 900_000)

  test('counts words and their times up to the limits of the model', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const long = 'ж'.repeat(64)
    const numbered = Array.from({ length: 8_010 }, (_, index) => `w${index}`)
    const none = { title: '', tags: [], name: '', description: '' }
    const files: ModelFile[] = [
      { ...none, description: `${'again '.repeat(300)}end` },
      { ...none, title: 'again', description: `${'again '.repeat(253)}almost again end` },
      { ...none, description: `${long}жж` },
      { ...none, title: long, tags: ['red', 'car'], name: 'red car' },
      { ...none, title: 'w0 w0', description: numbered.join(' ') },
      // More than a `tsvector` holds, but for its limit.
      { ...none, title: 'huge', tags: numbered.map((each) => `${each}${'ق'.repeat(60)}`) },
    ]
    const queries = [
      'again',
      '"again end"',
      '"almost again"',
      '"again again"',
      'end',
      long,
      `${long}ж`,
      'жж*',
      'ж*',
      '"red car"',
      'red car',
      'w7997',
      'w7998',
      'w7999',
      'w8001',
      '"w0 w0 w0"',
      'huge',
    ]
    await onSiteOf(app, cats, async (site) => {
      await insertModelFiles(site, files)
      const places = files.slice(0, 5).map(modelPositions)
      for (const text of queries.slice(0, -1)) {
        const found = (await foundBy(site, text))?.filter((each) => !each.endsWith('f5'))
        assert.deepEqual(found, modelFound(places, text), text)
      }
      assert.deepEqual(await foundBy(site, 'huge'), ['1 f5'])
      assert.deepEqual(await foundBy(site, '"again end"'), ['3 f1'])
    })
  })

  test('is copied with the rows of a site, to either store', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const files = fc.sample(modelFile, { numRuns: 40, seed: 3 })
    await using other = await startTestApp({ store: store === 'sqlite' ? 'postgres' : 'sqlite' })
    await onSiteOf(app, cats, async (site) => {
      await insertModelFiles(site, files)
      for (const target of [app, other]) {
        const sites = target.app.control.store
        const copy = await sites.draftCopy(77, async (db) => {
          for await (const { table, rows } of siteRowPages(site.db, 100))
            await insertSiteRows(db, table, rows)
        })
        await copy.publish()
        const opened = await sites.openSite(77)
        const texts = fc.sample(queryText, { numRuns: runsOf(100), seed: 5 })
        for (const text of texts)
          assert.deepEqual(
            await foundBy({ ...site, db: opened.db, number: 77 }, text),
            await foundBy(site, text),
            text,
          )
        await opened.db.deleteFrom('file').where('id', '<', 'f2').execute()
        assert.deepEqual(
          (await foundBy({ ...site, db: opened.db, number: 77 }, 'c*'))?.length,
          (await foundBy(site, 'c*'))?.filter((each) => each.slice(2) >= 'f2').length,
        )
        await opened.close()
      }
    })
  })

  test('reaches older rows by the job, in batches and once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats, { fields: { title: 'Ancient cat', tags: 'Éclair' } })
    await copyFiles(app, cats, 230)
    await onSiteOf(app, cats, async (site) => {
      const { db } = site
      await createAlbum(site, { username: 'ada', title: 'Old', privacy: 'public' })
      await db.deleteFrom('fileText').execute()
      await db.updateTable('file').set({ textVersion: 0, titleSort: '', nameSort: '' }).execute()
      await db.updateTable('tag').set({ form: '' }).execute()
      await db.updateTable('album').set({ words: '', titleSort: '' }).execute()
      assert.deepEqual(await foundBy(site, 'ancient'), [])
    })
    const [run] = await doDueJobs(app, cats)
    assert.equal(run?.done['index-texts'], 233)
    await onSiteOf(app, cats, async (site) => {
      const { db } = site
      assert.equal((await foundBy(site, '"ancient cat"'))?.length, 231)
      assert.equal((await foundBy(site, 'copy7'))?.length, 1)
      const rows = await db.selectFrom('file').select(['titleSort', 'textVersion']).execute()
      assert.ok(rows.every((row) => row.titleSort === 'ancient cat' && row.textVersion === 1))
      assert.deepEqual(await db.selectFrom('tag').select(['form']).execute(), [{ form: 'eclair' }])
      const albums = await db.selectFrom('album').select(['words', 'titleSort']).execute()
      assert.deepEqual(albums, [{ words: ' old z ', titleSort: 'old' }])
    })
    const again = await doDueJobs(app, cats)
    assert.ok(again.every(({ done }) => (done['index-texts'] ?? 0) === 0))
  })
})
