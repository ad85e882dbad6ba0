/** The baseline: node:http that answers every request with the same bytes. */
import { createServer } from 'node:http'
import { answerParent } from './child.ts'

const { size } = JSON.parse(process.argv[2] ?? '{}') as { size: number }
const bytes = Buffer.alloc(size, 'x')
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': bytes.length })
  response.end(bytes)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  answerParent({ port: typeof address === 'object' && address ? address.port : 0 })
})
