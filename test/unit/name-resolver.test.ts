import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { candidatesOf, parseHosts, parseResolvConf } from '../../src/lib/net/name-files.ts'
import { nameResolver } from '../../src/lib/net/name-resolver.ts'
import { type Records, startNameServer } from '../support/servers/name-server.ts'
import { until } from '../support/until.ts'

const never = () => new AbortController().signal

/** A resolver that knows nothing of this machine's own files. */
async function resolverWith(records: Record<string, Records>, files: { hosts?: string; conf?: string } = {}) {
  const server = await startNameServer((name) => records[name])
  const folder = await mkdtemp(join(tmpdir(), 'names-'))
  const [hostsPath, resolvConfPath] = [join(folder, 'hosts'), join(folder, 'resolv.conf')]
  if (files.hosts !== undefined) await writeFile(hostsPath, files.hosts)
  if (files.conf !== undefined) await writeFile(resolvConfPath, files.conf)
  const resolve = nameResolver({ servers: [server.address], hostsPath, resolvConfPath })
  return {
    server,
    hostsPath,
    find: (name: string, { usesSearchList = false, signal = never() } = {}) =>
      resolve(name, { usesSearchList, signal }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

test('a name is asked for in both families at once, and its addresses come in turn', async () => {
  await using names = await resolverWith({
    'both.example.org': { a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8::1'] },
    'four.example.org': { a: ['192.0.2.3'] },
    'six.example.org': { aaaa: ['2001:db8::2', '2001:db8::3'] },
  })
  assert.deepEqual(await names.find('both.example.org'), ['192.0.2.1', '2001:db8::1', '192.0.2.2'])
  assert.deepEqual(names.server.questions.toSorted(), ['A both.example.org', 'AAAA both.example.org'])
  assert.deepEqual(await names.find('four.example.org'), ['192.0.2.3'])
  assert.deepEqual(await names.find('six.example.org'), ['2001:db8::2', '2001:db8::3'])
  await assert.rejects(names.find('none.example.org'), { code: 'ENOTFOUND' })
})

test('one family is enough where the name server never answers for the other', async () => {
  await using names = await resolverWith({ 'old.example.org': { a: ['192.0.2.1'], aaaa: 'silent' } })
  assert.deepEqual(await names.find('old.example.org'), ['192.0.2.1'])
})

test('a look-up ends when its signal aborts, and the name server is asked no more', async () => {
  await using names = await resolverWith({ 'left.example.org': 'silent', 'stays.example.org': 'silent' })
  const stop = new AbortController()
  const asked = (name: string) => names.server.questions.filter((question) => question.endsWith(` ${name}`))
  const left = names.find('left.example.org', { signal: stop.signal })
  await until(() => asked('left.example.org').length === 2, 'both questions are there')
  stop.abort(new Error('gone'))
  await assert.rejects(left, { message: 'gone' })
  await assert.rejects(names.find('left.example.org', { signal: stop.signal }), { message: 'gone' })
  // Another name is asked for again and again meanwhile.
  await assert.rejects(names.find('stays.example.org'), { code: 'ETIMEOUT' })
  assert.equal(asked('stays.example.org').length, 6)
  assert.equal(asked('left.example.org').length, 2)
})

test('an entry of the hosts file wins, and a change of the file is seen', async () => {
  await using names = await resolverWith(
    { 'files.example.org': { a: ['192.0.2.1'] } },
    { hosts: '10.0.0.5 Files.example.org files # ours\n::5\tfiles.example.org\n' },
  )
  assert.deepEqual(await names.find('files.example.org'), ['10.0.0.5', '::5'])
  assert.deepEqual(names.server.questions, [])
  await writeFile(names.hostsPath, '')
  assert.deepEqual(await names.find('files.example.org'), ['192.0.2.1'])
  await rm(names.hostsPath)
  assert.deepEqual(await names.find('localhost'), ['127.0.0.1', '::1'])
})

test('only a name that the operator let through is completed by the search list', async () => {
  await using names = await resolverWith(
    { 'minio.media.svc.cluster.local': { a: ['10.0.0.7'] }, minio: { a: ['192.0.2.9'] } },
    { conf: 'nameserver 192.0.2.53\nsearch media.svc.cluster.local cluster.local\noptions ndots:5\n' },
  )
  assert.deepEqual(await names.find('minio', { usesSearchList: true }), ['10.0.0.7'])
  assert.deepEqual(await names.find('minio'), ['192.0.2.9'])
  await assert.rejects(names.find('nginx', { usesSearchList: true }), { code: 'ENOTFOUND' })
  assert.deepEqual(
    [...names.server.names()].filter((name) => name.startsWith('nginx')),
    ['nginx.media.svc.cluster.local', 'nginx.cluster.local', 'nginx'],
  )
})

test('the files of the system are read as their manuals say', () => {
  const hosts = parseHosts(
    '127.0.0.1 localhost\n::1 localhost\nfe80::1%lo0 localhost\nnonsense here\n10.0.0.1\n',
  )
  assert.deepEqual([...hosts], [['localhost', ['127.0.0.1', '::1']]])
  const conf = parseResolvConf(
    'domain a.test\nsearch B.test. c.test ; d.test\noptions timeout:1 ndots:2 rotate\n',
  )
  assert.deepEqual(conf, { domains: ['b.test', 'c.test'], minDots: 2 })
  assert.deepEqual(parseResolvConf(''), { domains: [], minDots: 1 })
  assert.deepEqual(candidatesOf('x', conf), ['x.b.test', 'x.c.test', 'x'])
  assert.deepEqual(candidatesOf('x.y.z', conf), ['x.y.z', 'x.y.z.b.test', 'x.y.z.c.test'])
  assert.deepEqual(candidatesOf('x'.repeat(250), conf), ['x'.repeat(250)])
})
