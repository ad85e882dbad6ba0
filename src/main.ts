import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Before any of our modules is loaded: the next start finds them compiled. The cache is beside our code, because in a folder
// that other accounts may write to, they could plant code.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
const { runTool } = await import('./cli/index.ts')

// The reader of a pipe may stop early (`tenants list | head`); that is no failure.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const exitCode = await runTool({
  args: process.argv.slice(2),
  environment: process.env,
  workingFolder: process.cwd(),
  input: process.stdin,
  out: process.stdout,
  err: process.stderr,
})

for (const stream of [process.stdout, process.stderr]) {
  await new Promise<void>((resolve) => stream.write('', () => resolve()))
}
process.exit(exitCode)
