import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { webhookHeaders } from '../../src/lib/net/standard-webhooks.ts'
import { ask } from '../support/delivered.ts'
import { freePort, sendRequest, startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { picture, uploaded } from '../support/uploads.ts'

const hook = fileURLToPath(new URL('../../deploy/purge-hook.mjs', import.meta.url))
const secretBytes = Buffer.alloc(32, 9)
const secret = `whsec_${secretBytes.toString('base64')}`

async function startHook(port: number, environment: Record<string, string>) {
  const child = spawn(process.execPath, [hook, String(port)], {
    env: { PURGE_SECRET: secret, ...environment },
    stdio: 'ignore',
  })
  const closed = once(child, 'close')
  const isUp = () =>
    sendRequest(port, 'POST', '/').then(
      ({ status }) => status === 401,
      () => false,
    )
  await until(isUp, 'the hook listens')
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await closed
    },
  }
}

/** nginx that keeps whatever Terrace lets caches keep, with the key that operations.md names. */
async function startCache(appPort: number, port: number) {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-cache-'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log warn;
    events { worker_connections 64; }
    http {
      ${temporary}
      access_log off;
      proxy_cache_path ${folder}/kept levels=1:2 keys_zone=terrace:1m;
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://127.0.0.1:${appPort};
          proxy_set_header Host $host;
          proxy_cache terrace;
          proxy_cache_key $host$uri$is_args$args;
          add_header X-Cache $upstream_cache_status always;
        }
      }
    }`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', `${folder}/error.log`])
  const closed = once(child, 'close')
  const isUp = () =>
    sendRequest(port, 'GET', '/').then(
      () => true,
      () => false,
    )
  await until(isUp, 'nginx listens')
  return {
    kept: join(folder, 'kept'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await closed
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const cached = await needing('nginx')
cached.describe('the hook for caches in front', () => {
  test('makes nginx forget a file in the trash, whatever the query, and nothing else', {
    timeout: 60_000,
  }, async () => {
    const [hookPort, cachePort] = [await freePort(), await freePort()]
    const environment = {
      SERVICE_PURGE_URL: `http://127.0.0.1:${hookPort}/`,
      SERVICE_PURGE_SECRET: secret,
      SERVICE_PUBLIC_PORT: String(cachePort),
    }
    await using app = await startTestApp({ environment })
    await using cache = await startCache(app.port, cachePort)
    await using _hook = await startHook(hookPort, { PURGE_NGINX_FOLDER: cache.kept })
    const cats = await app.tenant('cats')
    const [gone, stays] = [
      await uploaded(app, cats, { file: await picture({ width: 900, height: 700, seed: 1 }) }),
      await uploaded(app, cats, { file: await picture({ width: 900, height: 700, seed: 2 }) }),
    ]
    const queries = ['', '?v=1', '?w=320&f=webp', '?width=320&format=webp', '?utm_source=x']
    const addresses = (image: any) => [...queries.map((query) => image.url + query), image.thumb.url]
    const fromCache = async (url: string) => {
      const { status, headers } = await ask({ port: cachePort }, url)
      return [status, headers['x-cache']]
    }
    for (const url of [...addresses(gone), ...addresses(stays)]) {
      assert.deepEqual(await fromCache(url), [200, 'MISS'], url)
      assert.deepEqual(await fromCache(url), [200, 'HIT'], url)
    }
    const key = await keyOf(app, cats, 'admin')
    assert.equal((await ask5(app, cats, `DELETE files/${gone.id_encoded}`, { key })).status, 204)
    await until(() => app.app.purges?.done.sent === 1, 'the hook has taken the purge')
    for (const url of addresses(gone)) assert.deepEqual(await fromCache(url), [404, 'MISS'], url)
    for (const url of addresses(stays)) assert.deepEqual(await fromCache(url), [200, 'HIT'], url)
  })

  test('asks Varnish for each address, and takes no request that is not signed', async () => {
    const asked: string[] = []
    const varnish = createServer((request, response) => {
      asked.push(`${request.method} ${request.headers.host} ${request.url}`)
      response.end()
    }).listen(await freePort(), '127.0.0.1')
    try {
      await once(varnish, 'listening')
      const { port } = varnish.address() as { port: number }
      const hookPort = await freePort()
      await using _hook = await startHook(hookPort, { PURGE_VARNISH_URL: `http://127.0.0.1:${port}` })
      const urls = ['https://cats.test/images/cat.png', 'https://cats.test/images/cat.png?format=webp']
      const body = JSON.stringify({ type: 'purge', urls, tags: ['f-cat'] })
      const signed = (at: Date, by: Uint8Array) => webhookHeaders({ id: 'x1', body }, { at, secrets: [by] })
      const send = (headers: Record<string, string>) =>
        sendRequest(hookPort, 'POST', '/', { bytes: body, headers }).then(({ status }) => status)
      const now = new Date()
      assert.equal(await send(signed(now, Buffer.alloc(32, 8))), 401)
      assert.equal(await send(signed(new Date(now.getTime() - 3_600_000), secretBytes)), 401)
      assert.deepEqual(asked, [])
      assert.equal(await send(signed(now, secretBytes)), 204)
      assert.deepEqual(asked, [
        'PURGE cats.test /images/cat.png',
        'PURGE cats.test /images/cat.png?format=webp',
      ])
    } finally {
      varnish.close()
    }
  })
})
