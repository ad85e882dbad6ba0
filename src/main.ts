import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Before anything of ours is loaded: what is compiled today starts faster tomorrow. It lies where our code lies:
// in a folder that everybody may write to, somebody else could leave code for us.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
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
