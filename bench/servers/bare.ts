/** The baseline: node:http that answers every request with the same bytes and headers. */
import { createServer } from 'node:http'
import { answerParent } from './child.ts'

const { size, headers } = JSON.parse(process.argv[2] ?? '{}') as {
  size: number
  headers?: Record<string, string>
}
const bytes = Buffer.alloc(size, 'x')
const all = { 'content-type': 'text/plain', ...headers, 'content-length': bytes.length }
const list = Object.entries(all).flatMap(([name, value]) => [name, String(value)])
const server = createServer((_request, response) => {
  response.writeHead(200, [...list])
  response.end(bytes)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  answerParent({ port: typeof address === 'object' && address ? address.port : 0 })
})
