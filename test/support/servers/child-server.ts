import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort, sendRequest } from '../harness.ts'

/** A server as a process of its own, with all that it wrote. */
export interface ChildServer extends AsyncDisposable {
  port: number
  child: ChildProcess
  output(): string
}

const program = fileURLToPath(new URL('../../../build/main.js', import.meta.url))

export function runTool(
  words: readonly string[],
  environment: Record<string, string>,
  through: readonly string[] = [],
): ChildProcess {
  const [command = '', ...others] = [...through, process.execPath, program, ...words]
  return spawn(command, others, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** `through` is a command that starts the server, such as one that gives it a namespace. */
export async function startChildServer(
  environment: Record<string, string>,
  through?: readonly string[],
): Promise<ChildServer> {
  const port = await freePort()
  const settings = { SERVICE_DEMO: '0', ...environment, SERVICE_LISTEN: `127.0.0.1:${port}` }
  const child = runTool(['serve'], settings, through)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const closed = once(child, 'close')
  while (!(await isUp(port))) {
    if (child.exitCode !== null) throw new Error(`The server did not start: ${output}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    port,
    child,
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await closed
    },
  }
}

const isUp = (port: number) =>
  sendRequest(port, 'GET', '/_/health/ready').then(
    ({ status }) => status === 200,
    () => false,
  )

/** Waits for the end of a tool. */
export async function endOf(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  return { code, output }
}
