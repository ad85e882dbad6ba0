import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// As in main.ts, which starts this beside itself if SERVICE_PROCESSES asks for it.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
const { serveBeside } = await import('./cli/index.ts')

const [count, port] = process.argv.slice(2).map(Number)
await serveBeside({
  environment: process.env,
  workingFolder: process.cwd(),
  first: process,
  count: count ?? 1,
  port: port ?? 0,
})
process.exit(0)
