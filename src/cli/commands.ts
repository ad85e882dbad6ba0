import { type Command, command, type Group } from './command.ts'
import { operatorCommands } from './operator-command-list.ts'
import { siteCommands } from './site-command-list.ts'
import { tenantsCommands } from './tenants-command-list.ts'
import { flag, required, text, withDefault } from './terminal/option.ts'
import { count, oneOf, tenant, time } from './terminal/option-kinds.ts'

// Imported only when a command runs: `--help` need not load the whole service.
const server = () => import('./commands/serve-command.ts')
const doctors = () => import('./commands/doctor-command.ts')
const backups = () => import('./commands/backup-commands.ts')
const audits = () => import('./commands/audit-commands.ts')

export const groups: readonly Group[] = [
  {
    name: 'tenants',
    summary: 'Manage tenants, plans and the keys of the management API',
    program: 'tenants',
    options: {},
    example: 'tenants create --id cats --hostname cats.example.com',
  },
  {
    name: 'site',
    summary: "Manage one tenant's site",
    program: 'terrace site',
    options: { tenant },
    example: 'terrace site --tenant cats user:key --username ada',
  },
]

/** Every command of the tool. */
export const commands: readonly Command[] = [
  command({
    name: 'serve',
    summary: 'Run the service until SIGTERM or Ctrl-C',
    options: {},
    example: 'SERVICE_LISTEN=0.0.0.0:8080 terrace serve',
    hasJson: false,
    run: async (session) => (await server()).serve(session),
  }),
  command({
    name: 'doctor',
    summary: 'Check the installation; changes nothing without --repair',
    options: {
      id: text('ID', 'only the site of this tenant'),
      deep: flag('also read the bytes of every file'),
      repair: flag('repair what can be repaired without risk'),
    },
    example: 'terrace doctor --deep',
    run: async (session, values) => (await doctors()).doctor(session, values),
  }),
  command({
    name: 'backup',
    summary: 'Back up the installation, or one tenant, to a folder; servers can keep running',
    options: {
      to: required(text('FOLDER', 'the folder to create; it must not exist yet')),
      id: text('ID', 'only this tenant'),
      since: text('FOLDER', 'an earlier backup: files that it has are linked, not copied'),
      'with-keys': flag('include the encryption keys and the signing secret'),
    },
    example: 'terrace backup --to /backup/2026-11-15 --since /backup/2026-11-14',
    run: async (session, values) => (await backups()).backup(session, values),
  }),
  command({
    name: 'restore',
    summary: 'Restore a backup into an empty installation, with any database and storage',
    options: {
      from: required(text('FOLDER', 'the backup')),
      id: text('ID', 'only this tenant, into an installation that does not have it'),
    },
    example: 'terrace restore --from /backup/2026-11-15',
    run: async (session, values) => (await backups()).restore(session, values),
  }),

  command({
    name: 'audit',
    summary: 'Show the audit log of the installation, newest first',
    options: {
      verb: text('VERB', 'only changes of this kind, such as tenant.deleted'),
      actor: text(
        'NAME',
        'only changes by this operator or key, by name or id, or by operator, key, tool or job',
      ),
      target: text('ID', 'only changes of what has this id'),
      after: time('only changes after this time, YYYY-MM-DD HH:MM:SS in UTC'),
      before: time('only changes before this time'),
      limit: withDefault(count('how many rows to show at most'), '50'),
      export: oneOf(['ndjson', 'csv'], 'print all matching rows, one in a line'),
    },
    example: 'terrace audit --verb tenant.deleted --after "2026-11-01 00:00:00"',
    run: async (session, values) => (await audits()).showAudit(session, values),
  }),
  command({
    name: 'audit:sign',
    summary: 'Accept the current audit log of the installation after the doctor has reported a change',
    options: {},
    example: 'terrace audit:sign',
    run: async (session) => (await audits()).signAudit(session),
  }),

  ...operatorCommands,
  ...tenantsCommands,
  ...siteCommands,
]
