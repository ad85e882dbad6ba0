import { checkNewUser } from '../accounts/index.ts'
import { type Command, command } from './command.ts'
import { flag, required, secret, text, withDefault } from './terminal/option.ts'
import {
  day,
  email,
  map,
  newPassphrase,
  number,
  oneOf,
  password,
  planId,
  shortName,
  time,
  username,
  zeroOrOne,
} from './terminal/option-kinds.ts'

// Imported only when a command runs: `--help` need not load the whole service.
const keys = () => import('./commands/tenants/key-commands.ts')
const tenants = () => import('./commands/tenants/tenant-commands.ts')
const accounts = () => import('./commands/tenants/account-commands.ts')
const plans = () => import('./commands/tenants/plan-commands.ts')
const previews = () => import('./commands/tenants/preview-commands.ts')
const maintenance = () => import('./commands/tenants/maintenance-commands.ts')
const quotas = () => import('./commands/tenants/quotas-command.ts')
const usage = () => import('./commands/tenants/usage-command.ts')
const moves = () => import('./commands/tenants/move-command.ts')
const archives = () => import('./commands/tenants/archive-commands.ts')
const worker = () => import('./commands/tenants/worker-command.ts')
const rotation = () => import('./commands/tenants/maintenance-commands.ts')
const initialisation = () => import('./commands/tenants/init-command.ts')

const id = required(text('ID', "the tenant's id"))
const hostname = text('NAME', "the tenant's hostname")
const isEnabled = zeroOrOne('1 to serve the tenant, 0 to disable it')
const limits = map('limits, such as {"SERVICE_MAX_USERS":"5"}')
const env = map('environment, such as {"NAME":"value"}; stored encrypted')
const planKey = required(text('ID', "the plan's id"))

/** Every command for tenants, plans and the keys of the management API. */
export const tenantsCommands: readonly Command[] = [
  command({
    name: 'tenants init',
    summary: 'Prepare the data folder, the database and the secrets',
    options: {},
    example: 'SERVICE_DATA_DIR=/srv/terrace tenants init',
    run: async (session) => (await initialisation()).init(session),
  }),
  command({
    name: 'tenants api:key:create',
    summary: 'Create a key for the management API; it is shown only once',
    options: {
      name: shortName('a name for the key'),
      expires: time('when it expires, YYYY-MM-DD HH:MM:SS in UTC'),
    },
    example: 'tenants api:key:create --name ci --expires "2030-12-31 23:59:59"',
    run: async (session, values) => (await keys()).createApiKey(session, values),
  }),
  command({
    name: 'tenants api:key:list',
    summary: 'List the keys for the management API',
    options: {},
    example: 'tenants api:key:list',
    run: async (session) => (await keys()).listApiKeys(session),
  }),
  command({
    name: 'tenants api:key:verify',
    summary: 'Check whether a key is valid, and show its details',
    options: { key: required(text('KEY', 'the key')) },
    example: 'tenants api:key:verify --key trc_1_…',
    run: async (session, values) => (await keys()).verifyApiKey(session, values),
  }),
  command({
    name: 'tenants api:key:delete',
    summary: 'Delete a key, by its number or its name',
    options: { id: number("the key's number"), name: text('NAME', "the key's name") },
    example: 'tenants api:key:delete --name ci',
    run: async (session, values) => (await keys()).deleteApiKey(session, values),
  }),
  command({
    name: 'tenants secret:show',
    summary: 'Show the secret that signs requests to the management API',
    options: {},
    example: 'tenants secret:show',
    run: async (session) => (await keys()).showSecret(session),
  }),

  command({
    name: 'tenants create',
    summary: 'Create a tenant',
    options: {
      id,
      hostname: required(hostname),
      is_enabled: withDefault(isEnabled, '1'),
      plan_id: planId,
      limits,
      env,
    },
    example: 'tenants create --id cats --hostname cats.example.com --plan_id small',
    run: async (session, values) => (await tenants()).create(session, values),
  }),
  command({
    name: 'tenants get',
    summary: 'Show a tenant',
    options: { id },
    example: 'tenants get --id cats',
    run: async (session, values) => (await tenants()).get(session, values),
  }),
  command({
    name: 'tenants list',
    summary: 'List the tenants',
    options: {},
    example: 'tenants list --json',
    run: async (session) => (await tenants()).list(session),
  }),
  command({
    name: 'tenants edit',
    summary: 'Change a tenant; omitted options keep their values',
    options: { id, hostname, is_enabled: isEnabled, plan_id: planId, limits, env },
    example: `tenants edit --id cats --is_enabled 0 --limits '{"SERVICE_MAX_FILES":"1000"}'`,
    run: async (session, values) => (await tenants()).edit(session, values),
  }),
  command({
    name: 'tenants preview',
    summary: 'Show what a change of a tenant would do, without changing anything',
    options: { id, hostname, is_enabled: isEnabled, plan_id: planId, limits, env },
    example: 'tenants preview --id cats --plan_id small',
    run: async (session, values) => (await previews()).previewEdit(session, values),
  }),
  command({
    name: 'tenants delete',
    summary: 'Delete a tenant and stop serving its hostname',
    options: { id, 'drop-tables': flag('also delete its tables and files, permanently') },
    example: 'tenants delete --id cats --drop-tables',
    run: async (session, values) => (await tenants()).remove(session, values),
  }),

  command({
    name: 'tenants install',
    summary: "Create a tenant's site with its first administrator",
    options: { id, username, email, password: required(password) },
    check: checkNewUser,
    example: 'tenants install --id cats --username ada --email ada@example.com --password "…"',
    run: async (session, values) => (await accounts()).install(session, values),
  }),
  command({
    name: 'tenants password-reset',
    summary: "Set a user's password, or generate one",
    options: { id, username, password },
    example: 'tenants password-reset --id cats --username ada',
    run: async (session, values) => (await accounts()).resetPassword(session, values),
  }),

  command({
    name: 'tenants plan:create',
    summary: 'Create a plan',
    options: { id: planKey, limits, env },
    example: `tenants plan:create --id small --limits '{"SERVICE_MAX_USERS":"5"}'`,
    run: async (session, values) => (await plans()).create(session, values),
  }),
  command({
    name: 'tenants plan:get',
    summary: 'Show a plan',
    options: { id: planKey },
    example: 'tenants plan:get --id small',
    run: async (session, values) => (await plans()).get(session, values),
  }),
  command({
    name: 'tenants plan:list',
    summary: 'List the plans',
    options: {},
    example: 'tenants plan:list',
    run: async (session) => (await plans()).list(session),
  }),
  command({
    name: 'tenants plan:edit',
    summary: 'Change a plan; the change applies to its tenants immediately',
    options: { id: planKey, limits, env },
    example: 'tenants plan:edit --id small --env null',
    run: async (session, values) => (await plans()).edit(session, values),
  }),
  command({
    name: 'tenants plan:preview',
    summary: 'Show what a change of a plan would do to its tenants, without changing anything',
    options: { id: planKey, limits, env },
    example: `tenants plan:preview --id small --limits '{"SERVICE_MAX_FILES":"1000"}'`,
    run: async (session, values) => (await previews()).previewPlanEdit(session, values),
  }),
  command({
    name: 'tenants plan:delete',
    summary: 'Delete a plan; its tenants then have no plan',
    options: { id: planKey },
    example: 'tenants plan:delete --id small',
    run: async (session, values) => (await plans()).remove(session, values),
  }),

  command({
    name: 'tenants usage',
    summary: 'Show what all tenants, or one, used by day',
    options: {
      id: text('ID', "the tenant's id"),
      from: day('the first day in UTC; 29 days before the last by default'),
      to: day('the last day in UTC; today by default'),
      step: withDefault(
        oneOf(['day', 'month', 'total'], 'one row for each day or month, or one in all'),
        'day',
      ),
      csv: flag('print CSV with every figure'),
    },
    example: 'tenants usage --step month --from 2026-01-01',
    run: async (session, values) => (await usage()).showUsage(session, values),
  }),
  command({
    name: 'tenants quotas',
    summary: "Show how much of a tenant's quotas is used",
    options: { id },
    example: 'tenants quotas --id cats',
    run: async (session, values) => (await quotas()).showQuotas(session, values),
  }),
  command({
    name: 'tenants stats:refresh',
    summary: 'Recount the statistics of all tenants, or of one',
    options: { id: text('ID', "the tenant's id") },
    example: 'tenants stats:refresh --id cats',
    run: async (session, values) => (await maintenance()).refreshAllStats(session, values),
  }),
  command({
    name: 'tenants jobs:worker',
    summary: 'Run background jobs for all tenants, or for one, until SIGTERM or Ctrl-C',
    options: {
      id: text('ID', "the tenant's id"),
      once: flag("exit when no job is due; with --id, run that tenant's jobs even if none is due"),
    },
    example: 'tenants jobs:worker --once',
    run: async (session, values) => (await worker()).work(session, values),
  }),
  command({
    name: 'tenants export',
    summary: 'Write a tenant with its files to one archive; servers can keep running',
    options: {
      id,
      to: required(text('FILE', 'the archive to create, or - for standard output')),
      passphrase: newPassphrase('include the secrets, encrypted with this, at least 8 characters'),
    },
    example: 'tenants export --id cats --to /backup/cats.tar',
    run: async (session, values) => (await archives()).exportArchive(session, values),
  }),
  command({
    name: 'tenants import',
    summary: 'Make a tenant from an archive, with any database and storage',
    positionals: { file: required(text('FILE', 'the archive')) },
    options: {
      id: text('ID', 'the id of the tenant; by default that of the archive'),
      hostname: text('NAME', "the tenant's hostname; by default that of the archive"),
      verify: flag('read the stored files again at the end; without --id only check the archive'),
      passphrase: secret('opens the secrets in the archive; without it they are left out'),
    },
    example: 'tenants import /backup/cats.tar --id cats --hostname cats.example.com',
    run: async (session, values) => (await archives()).importArchive(session, values),
  }),
  command({
    name: 'tenants move',
    summary: "Move a tenant's data to the database and storage that its settings name",
    options: {
      id,
      database: text('URL', 'first set SERVICE_DATABASE_URL in its env; sqlite: means the data folder'),
      storage: text('URL', 'first set SERVICE_STORAGE_URL in its env; disk: means the data folder'),
      'accept-missing': text('KEY,…', 'move even if the bytes of these keys are missing'),
    },
    example: 'tenants move --id cats --storage disk:',
    run: async (session, values) => (await moves()).move(session, values),
  }),
  command({
    name: 'tenants database:migrate',
    summary: 'Migrate the tables of all sites, or of one',
    options: { id: text('ID', "the tenant's id") },
    example: 'tenants database:migrate',
    run: async (session, values) => (await maintenance()).migrate(session, values),
  }),
  command({
    name: 'tenants database:distribute',
    summary: 'Distribute the tables of sites over Citus workers; safe to repeat',
    options: { id: text('ID', 'distribute the separate database of this tenant instead') },
    example: 'tenants database:distribute',
    run: async (session, values) => (await maintenance()).distribute(session, values),
  }),
  command({
    name: 'tenants env:rotate',
    summary: 'Encrypt secrets with a new key; resumes an interrupted rotation',
    options: {},
    example: 'tenants env:rotate',
    run: async (session) => (await rotation()).rotate(session),
  }),
]
