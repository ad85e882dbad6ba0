import assert from 'node:assert/strict'
import { test } from 'vitest'
import { isRefusedAtSignUp, isReservedName } from '../../src/accounts/index.ts'
import { pageRoutes } from '../../src/pages/page-list.ts'
import { mediaRoutes, routes, siteRoutes } from '../../src/routes.ts'

test('the first part of every route is reserved', () => {
  const paths = [...routes, ...siteRoutes, ...mediaRoutes, ...pageRoutes].map(({ path }) => path)
  const firsts = new Set(paths.map((path) => path.split('/')[1] ?? ''))
  // `/1/upload` is older than user names, which have three characters or more.
  const free = [...firsts].filter(
    (first) => first.length >= 3 && !first.startsWith('{') && !isReservedName(first),
  )
  assert.deepEqual(free, [])
})

test('case does not matter, files and hidden names are reserved, offices are refused at sign-up alone', () => {
  for (const name of [
    'Login',
    'SETTINGS',
    '.hidden',
    '-dash',
    '_private',
    'photo.PNG',
    'index.html',
    'robots.txt',
  ])
    assert.ok(isReservedName(name), name)
  for (const name of ['ada', 'loginn', 'my.photos', 'png', 'admin']) assert.ok(!isReservedName(name), name)
  for (const name of ['admin', 'Root', 'system', 'login']) assert.ok(isRefusedAtSignUp(name), name)
  assert.ok(!isRefusedAtSignUp('administratrix'))
})
