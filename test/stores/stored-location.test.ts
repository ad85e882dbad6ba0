import assert from 'node:assert/strict'
import { test } from 'vitest'
import { changeLocation, ownerOfLocation, readLocation } from '../../src/tenants/locations/site-locations.ts'
import { findLocation, updateLocation } from '../../src/tenants/sites-table.ts'
import { readTenant } from '../../src/tenants/tenants.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'

/** As version 0.1 wrote it. */
const stored = {
  database: 'sqlite:',
  storage: 's3://bucket/folder',
  generation: 3,
  rowsAt: 2,
  bytesAt: 3,
  last: 5,
  left: [
    { kind: 'rows', database: 'sqlite:', placedAt: 1, generation: 2 },
    { kind: 'bytes', storage: 'disk:', bytesAt: 0, keptAt: '2026-01-01T00:00:00.000Z' },
  ],
  move: {
    database: 'sqlite:',
    storage: 'disk:',
    generation: 5,
    rowsAt: 2,
    bytesAt: 5,
    until: '2026-01-02T00:00:00.000Z',
    by: '7@host',
  },
  stopped: { storage: 'disk:', bytesAt: 4, at: '2026-01-01T00:00:00.000Z' },
}

onEachStore('stored locations', (store) => {
  test('the location that an earlier version has stored is read, and written under the same names', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    const { control } = app.app
    const { keyRing } = control
    const { site } = await readTenant(control, 'cats')
    const owner = ownerOfLocation(site)
    await control.store.changeControl((db) =>
      updateLocation(db, site, keyRing.seal(JSON.stringify(stored), owner)),
    )

    const record = await readLocation(control, site)
    assert.deepEqual(record, {
      database: 'sqlite:',
      storage: 's3://bucket/folder',
      generation: 3,
      rowsGeneration: 2,
      bytesGeneration: 3,
      lastGeneration: 5,
      staleCopies: [
        { kind: 'rows', database: 'sqlite:', rowsGeneration: 1, generation: 2 },
        { kind: 'bytes', storage: 'disk:', bytesGeneration: 0, keptAt: '2026-01-01T00:00:00.000Z' },
      ],
      move: {
        database: 'sqlite:',
        storage: 'disk:',
        generation: 5,
        rowsGeneration: 2,
        bytesGeneration: 5,
        until: '2026-01-02T00:00:00.000Z',
        by: '7@host',
      },
      abortedMove: { storage: 'disk:', bytesGeneration: 4, at: '2026-01-01T00:00:00.000Z' },
    })

    await changeLocation(control, site, (known) => ({ ...known, generation: 4 }))
    const sealed = await findLocation(control.store.control, site)
    assert.deepEqual(JSON.parse(keyRing.unseal(sealed ?? '', owner)), { ...stored, generation: 4 })
    // The app stops without a look at storages that do not exist.
    await control.store.changeControl((db) => updateLocation(db, site, null))
  })
})
