import type { App } from '../../../src/app.ts'
import {
  createPlan,
  createTenant,
  deletePlan,
  deleteTenant,
  editTenant,
  installTenant,
  rotateKeys,
} from '../../../src/tenants/index.ts'

/** One thing that the API or the tool does, and what must stand before it. */
interface Verb {
  prepare(app: App): Promise<unknown>
  perform(app: App): Promise<unknown>
}

export const account = { username: 'ada', email: 'ada@example.com', password: 'correct horse' }

const neighbour = async ({ control }: App) => {
  await createPlan(control, { id: 'gold', env: { SECRET: 'of gold' } })
  await createTenant(control, { id: 'dogs', hostname: 'dogs.test', isEnabled: true, planId: 'gold' })
  await installTenant(control, 'dogs', account)
}

const bare = async (app: App) => {
  await neighbour(app)
  await createTenant(app.control, {
    id: 'cats',
    hostname: 'cats.test',
    isEnabled: true,
    env: { SECRET: 'of cats' },
  })
}

const installed = async (app: App) => {
  await bare(app)
  await installTenant(app.control, 'cats', account)
}

export const newEnv = { SECRET: 'another' }

export const verbs: Readonly<Record<string, Verb>> = {
  'first start': { prepare: async () => undefined, perform: async () => undefined },
  create: {
    prepare: neighbour,
    perform: ({ control }) =>
      createTenant(control, { id: 'cats', hostname: 'cats.test', isEnabled: true, env: newEnv }),
  },
  install: {
    prepare: bare,
    perform: ({ control }) => installTenant(control, 'cats', account),
  },
  edit: {
    prepare: installed,
    perform: ({ control }) => editTenant(control, 'cats', { hostname: 'tigers.test', env: newEnv }),
  },
  delete: {
    prepare: installed,
    perform: ({ control }) => deleteTenant(control, 'cats', { dropTables: false }),
  },
  'delete with tables': {
    prepare: installed,
    perform: ({ control }) => deleteTenant(control, 'cats', { dropTables: true }),
  },
  'plan delete': {
    prepare: bare,
    perform: ({ control }) => deletePlan(control, 'gold'),
  },
  rotation: {
    prepare: installed,
    perform: ({ control, keyFile }) => {
      if (!keyFile) throw new Error('There is no key file.')
      return rotateKeys(control, keyFile)
    },
  },
}
