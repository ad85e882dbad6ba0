import { test } from 'vitest'
import { walkFiles } from '../support/clients/file-pagination.ts'
import { onBothStores } from '../support/harness.ts'

onBothStores('walks through lists of files', (store) => {
  test('keep their promises 10,000 times', () => walkFiles(store, 10_000), 3_600_000)
})
