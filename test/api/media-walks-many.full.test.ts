import { test } from 'vitest'
import { walkFiles } from '../support/file-walks.ts'
import { onBothStores } from '../support/harness.ts'

onBothStores('walks through lists of files', (store) => {
  test('keep their promises, 2,000 other ones each time', () => walkFiles(store, 2_000), 3_600_000)
})
