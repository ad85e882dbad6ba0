import { enableCompileCache } from 'node:module'

// Before anything of ours is loaded: what is compiled today starts faster tomorrow.
enableCompileCache()
const { runTool } = await import('./cli/index.ts')

// Whoever reads us may stop reading (`tenants list | head`); that is no reason to fail.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const exitCode = await runTool({
  words: process.argv.slice(2),
  environment: process.env,
  workingFolder: process.cwd(),
  out: process.stdout,
  err: process.stderr,
})

for (const stream of [process.stdout, process.stderr]) {
  await new Promise<void>((resolve) => stream.write('', () => resolve()))
}
process.exit(exitCode)
