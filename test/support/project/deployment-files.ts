import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { commands } from '../../../src/cli/commands.ts'
import { readConfig } from '../../../src/config.ts'
import { routes } from '../../../src/routes.ts'
import { readYaml } from './yaml.ts'

export const root = fileURLToPath(new URL('../../../', import.meta.url))
export const read = (path: string) => readFileSync(root + path, 'utf8')

export interface Service {
  image: string
  build?: string
  restart?: string
  profiles?: string[]
  environment?: Record<string, string>
  entrypoint?: string[]
  command?: string[]
  ports?: string[]
  volumes?: string[]
  network_mode?: string
  networks?: { default: { ipv4_address: string } }
  depends_on?: Record<string, { condition: string }>
  healthcheck?: object
}

interface Compose {
  services: Record<string, Service>
  volumes: Record<string, object>
  networks: { default: { ipam: { config: { subnet: string }[] } } }
}

export const compose = readYaml(read('compose.yaml'))[0] as unknown as Compose

export const isTerrace = ({ image }: Service) => image === 'terrace:local'

/** The instructions of the Dockerfile's last stage, or of all, and the arguments of each. */
export function instructionsOf(name: string, isOfAllStages = false): string[] {
  const lines = read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
  const first = isOfAllStages ? 0 : lines.findLastIndex((line) => line.startsWith('FROM '))
  return lines
    .slice(first)
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1).trim())
}

/** What the stages take from the checkout. */
export const copied = () =>
  instructionsOf('COPY', true)
    .filter((words) => !words.startsWith('--from'))
    .flatMap((words) => words.split(/\s+/).slice(0, -1))

/** What the image is copied together from, but for the packages: paths of a checkout that is built. */
export const imageContents = () =>
  instructionsOf('COPY').flatMap((words) => {
    const [from = '', ...paths] = words.split(/\s+/)
    if (from === '--from=packages') return paths.slice(0, -1).map((path) => path.replace('/app/', ''))
    return [from, ...paths].slice(0, -1)
  })

export const imageSettings = (): Record<string, string> =>
  Object.fromEntries(
    instructionsOf('ENV').flatMap((words) =>
      [...words.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    ),
  )

/** The names that are looked up when the settings are read. */
export function knownSettings(): ReadonlySet<string> {
  const names = new Set<string>()
  readConfig(new Proxy({}, { get: (_target, name) => void names.add(String(name)) }), '/')
  return names
}

/** What is wrong with an environment: names that are no settings, and values that are refused. */
export function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    return readConfig(environment, '/').warnings
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

export const isRoute = (path: string) => routes.some((route) => route.path === path && route.method === 'GET')

/** Whether the words are those of a command, as behind `terrace`. */
export const isCommand = (words: readonly string[]) => commands.some(({ name }) => name === words.join(' '))

/** What stands in for what an operator chooses. */
export const chosen: Record<string, string> = {
  POSTGRES_PASSWORD: 'secret',
  S3_SECRET: 'another-secret',
  SERVICE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  SERVICE_TENANTS_API_REQUEST_SECRET: 'a secret of some length',
}

/** As Compose fills them in. */
export function filledIn(text: string): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_whole, name, kind, usual) => {
    const value = chosen[name] ?? (kind === '-' ? usual : undefined)
    if (value === undefined) throw new Error(`Nobody says what ${name} is.`)
    return value
  })
}

export const settingsOf = (service: Service): Record<string, string> =>
  Object.fromEntries(
    Object.entries(service.environment ?? {}).map(([name, value]) => [name, filledIn(value)]),
  )
