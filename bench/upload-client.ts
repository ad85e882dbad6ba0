import { request } from 'node:http'
import { type ChildServer, startChild } from './servers/child.ts'

export function startUploadServer(dataDir: string): Promise<ChildServer> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const listen = { SERVICE_LISTEN: `127.0.0.1:${port}`, SERVICE_LOG_LEVEL: 'error' }
  return startChild('./terrace.ts', { SERVICE_DATA_DIR: dataDir, ...listen })
}

export async function uploads(server: ChildServer, bytes: Buffer, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await upload(server, bytes)
}

type UploadServer = Pick<ChildServer, 'port' | 'credentials'>

/** As plain as can be: a client that is busy beside the server would take half of its core. */
export async function upload(server: UploadServer, bytes: Buffer): Promise<any> {
  const { promise, resolve, reject } = Promise.withResolvers<any>()
  uploaded += 1
  const body = Buffer.concat([formHead(`photo-${uploaded}.jpg`), bytes, formEnd])
  const headers = {
    'x-api-key': server.credentials.uploadKey ?? '',
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': body.length,
  }
  const outgoing = request(
    { host: 'localhost', port: server.port, method: 'POST', path: '/api/1/upload', headers },
    async (answer) => {
      const said = (await answer.toArray()).join('')
      if (answer.statusCode === 200) resolve(JSON.parse(said))
      else reject(new Error(`An upload was answered with ${answer.statusCode}: ${said}`))
    },
  )
  outgoing.on('error', reject)
  outgoing.end(body)
  return promise
}

let uploaded = 0

/** As long as those of browsers and other clients, which are looked for in every byte. */
const boundary = '----TerraceBenchBoundary7MA4YWxkTrZu0gW'
const formHead = (name: string) =>
  Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="source"; filename="${name}"\r\n` +
      'content-type: image/jpeg\r\n\r\n',
  )
const formEnd = Buffer.from(`\r\n--${boundary}--\r\n`)
