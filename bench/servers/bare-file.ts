/** The least that a server does to send a part of a file: open it and stream. */
import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParent } from './child.ts'

const path = JSON.parse(process.argv[2] ?? '""') as string
const { size } = statSync(path)
const server = createServer((request, response) => {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  const headers = { 'content-range': `bytes ${start}-${size - 1}/${size}`, 'content-length': size - start }
  response.writeHead(206, headers)
  const stream = createReadStream(path, { start })
  response.on('close', () => stream.destroy())
  stream.pipe(response)
})
server.listen(0, '127.0.0.1', () => answerParent({ port: (server.address() as AddressInfo).port }))
