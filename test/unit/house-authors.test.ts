import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type Files, filesOfProject } from '../support/project/house.ts'

/** They only read, and keep what they read for all requests. */
const readers = ['proxy', 'tenant-list', 'usage'].map((name) => `src/api/tenants-v4/${name}.ts`)

const nameless = (files: Files) =>
  [...files]
    .filter(([path]) => path.startsWith('src/api/tenants-v4/') && !readers.includes(path))
    .flatMap(([path, text]) => (/\bapp\.control\b/.test(text) ? [path] : []))

test('the management API changes the installation in the name of the key: by request.control', () => {
  assert.deepEqual(nameless(filesOfProject()), [])
  const path = 'src/api/tenants-v4/plans.ts'
  assert.deepEqual(nameless(new Map([[path, 'await deletePlan(app.control, id)']])), [path])
})
