import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { emailForm, usernameForm } from '../../accounts/index.ts'
import type { ControlKey } from '../../control/index.ts'
import { Text } from '../../http/fields.ts'
import { mostJsonBytes } from '../../http/signed/body.ts'
import { broken } from '../../lib/faults.ts'
import { writeTime } from '../../lib/times.ts'
import {
  type EffectiveValues,
  type LooseValues,
  maxValueBytes,
  maxValues,
  type NewTenant,
  type Plan,
  type PlanValues,
  type TenantEdit,
  type TenantWithStats,
  tenantIdForm,
} from '../../tenants/index.ts'

const Closed = { additionalProperties: false }
const Timestamp = Type.String({ description: 'UTC, `YYYY-MM-DD HH:MM:SS`' })
const Id = Text({
  most: 64,
  description: '1 to 64 of `A-Za-z0-9_-`, a letter or digit first; unique ignoring case',
  pattern: tenantIdForm,
  rule: broken('tenantId'),
})
const Hostname = Text({
  most: 253,
  description: 'A DNS name that no other tenant has',
  examples: ['cats.example.com'],
})
/** Whatever it is, one that names no plan is a conflict. */
const PlanId = (description: string) => Type.String({ maxLength: mostJsonBytes, description })
const Password = (description: string) => Type.String({ minLength: 6, maxLength: 128, description })
const IsEnabled = Type.Boolean({ description: 'Whether the site answers' })
const TextMap = (description: string) => Type.Record(Type.String(), Type.String(), { description })
const LooseMap = (description: string) =>
  Type.Record(
    Type.String(),
    Type.Union([
      Type.String({ maxLength: maxValueBytes }),
      Type.Number({ minimum: -Number.MAX_VALUE, maximum: Number.MAX_VALUE }),
      Type.Boolean(),
    ]),
    { maxProperties: maxValues, description },
  )
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

const Limits = LooseMap(
  'Limits by name. Known limits are whole numbers; sizes may end in K, M, G. An empty list counts as `{}`.',
)
const Env = LooseMap('Environment by name. Encrypted at rest. An empty list counts as `{}`.')

const statTexts = {
  tags: 'Tags in use',
  files: 'Files stored',
  pages: 'Pages',
  users: 'Users of every role',
  admins: 'Administrators',
  albums: 'Albums',
  managers: 'Managers',
  storages: 'Storages',
  cron_time: 'Seconds that the jobs of the tenant have taken',
  categories: 'Categories',
  file_likes: 'Likes of files',
  file_views: 'Views of files',
  album_likes: 'Likes of albums',
  album_views: 'Views of albums',
  storage_used: 'Bytes of all files and their versions',
  login_providers: 'Login providers',
}

export const StatsObject = Type.Object(
  Object.fromEntries(
    Object.entries(statTexts).map(([name, description]) => [name, Type.Integer({ description })]),
  ),
  { description: 'What the site holds; zeros before it is installed' },
)

export const TenantObject = Type.Object({
  id: Id,
  hostname: Type.String({ description: 'Where the site is served: a DNS name in lower case' }),
  is_enabled: Type.Boolean({ description: 'A disabled tenant’s host answers 403' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  plan_id: orNull(Type.String({ description: 'Null when the tenant has no plan' })),
  limits: TextMap('As set on the tenant, not merged with its plan'),
  env: TextMap('As set on the tenant, not merged with its plan'),
  stats: StatsObject,
  last_job_at: orNull(Type.String({ description: 'In the same form; null before the first job' })),
})

export const PlanObject = Type.Object({
  id: Id,
  limits: TextMap('Limits by name'),
  env: orNull(TextMap('Environment by name; null when none is set')),
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const KeyObject = Type.Object({
  id: Type.String({ description: 'The number in the key, as a string like every id' }),
  name: orNull(Type.String({ description: 'The name given when the key was created' })),
  created_at: Timestamp,
  expires_at: orNull(Type.String({ description: 'In the same form; null when it does not expire' })),
})

export const ofTenant = Type.Object({
  id: Type.String({ pattern: tenantIdForm, description: 'The id of the tenant' }),
})
export const ofPlan = Type.Object({
  id: Type.String({ pattern: tenantIdForm, description: 'The id of the plan' }),
})

/** The `{id}` of the path. */
export const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id

export const NewTenantBody = Type.Object(
  {
    id: Id,
    hostname: Hostname,
    is_enabled: IsEnabled,
    plan_id: Type.Optional(orNull(PlanId('The id of a plan; an empty string is no plan'))),
    limits: Type.Optional(orNull(Limits)),
    env: Type.Optional(orNull(Env)),
  },
  Closed,
)

export const TenantEditBody = Type.Object(
  {
    is_enabled: Type.Optional(IsEnabled),
    hostname: Type.Optional(Hostname),
    plan_id: Type.Optional(orNull(PlanId('The id of a plan; an empty string or null removes the plan'))),
    limits: Type.Optional(orNull(Limits)),
    env: Type.Optional(orNull(Env)),
  },
  { ...Closed, minProperties: 1 },
)

export const TenantDeleteBody = Type.Object(
  {
    drop_tables: Type.Optional(
      orNull(Type.Boolean({ default: false, description: 'Whether to delete tables and files permanently' })),
    ),
  },
  Closed,
)

export const InstallBody = Type.Object(
  {
    username: Text({
      most: 32,
      description: 'The administrator’s name: 3 to 32 of `A-Za-z0-9_.-`',
      pattern: usernameForm,
      rule: broken('username'),
    }),
    email: Text({
      most: 254,
      description: 'The administrator’s e-mail address',
      pattern: emailForm,
      rule: broken('email'),
      examples: ['ada@example.com'],
    }),
    password: Password('6 to 128 characters'),
  },
  Closed,
)

export const PasswordResetBody = Type.Object(
  {
    username: Type.String({ maxLength: mostJsonBytes, description: 'A user of the tenant’s site' }),
    password: Type.Optional(orNull(Password('6 to 128 characters; random if omitted'))),
  },
  Closed,
)

export const NewPlanBody = Type.Object(
  { id: Id, limits: Type.Optional(orNull(Limits)), env: Type.Optional(orNull(Env)) },
  Closed,
)

export const PlanEditBody = Type.Object(
  { limits: Type.Optional(orNull(Limits)), env: Type.Optional(orNull(Env)) },
  { ...Closed, minProperties: 1 },
)

export interface PlanFields {
  limits?: LooseValues | null
  env?: LooseValues | null
}

export interface TenantFields extends PlanFields {
  is_enabled?: boolean
  hostname?: string
  plan_id?: string | null
}

export type NewTenantFields = TenantFields & { id: string; hostname: string; is_enabled: boolean }

/** `null` and `""` mean no plan. A map that is `null` counts as absent here; in an edit it clears the map. */
export function readNewTenant(body: NewTenantFields): NewTenant {
  return {
    id: body.id,
    hostname: body.hostname,
    isEnabled: body.is_enabled,
    planId: body.plan_id || undefined,
    limits: body.limits ?? undefined,
    env: body.env ?? undefined,
  }
}

export function readTenantEdit(body: TenantFields): TenantEdit {
  return {
    hostname: body.hostname,
    isEnabled: body.is_enabled,
    planId: body.plan_id === '' ? null : body.plan_id,
    ...readPlanValues(body),
  }
}

export function readPlanValues(body: PlanFields): PlanValues {
  return { limits: body.limits === null ? {} : body.limits, env: body.env === null ? {} : body.env }
}

export function writeTenant(tenant: TenantWithStats) {
  return {
    id: tenant.id,
    hostname: tenant.hostname,
    is_enabled: tenant.isEnabled,
    created_at: writeTime(tenant.createdAt),
    updated_at: writeTime(tenant.updatedAt),
    plan_id: tenant.planId ?? null,
    limits: tenant.limits,
    env: tenant.env,
    stats: writeStats(tenant.stats),
    last_job_at: tenant.lastJobAt ? writeTime(tenant.lastJobAt) : null,
  }
}

export function writeStats({
  cronTime,
  fileLikes,
  fileViews,
  albumLikes,
  albumViews,
  storageUsed,
  ...same
}: TenantWithStats['stats']) {
  return {
    tags: same.tags,
    files: same.files,
    pages: same.pages,
    users: same.users,
    admins: same.admins,
    albums: same.albums,
    managers: same.managers,
    storages: same.storages,
    cron_time: cronTime,
    categories: same.categories,
    file_likes: fileLikes,
    file_views: fileViews,
    album_likes: albumLikes,
    album_views: albumViews,
    storage_used: storageUsed,
    login_providers: same.loginProviders,
  }
}

export const writePlan = (plan: Plan) => ({
  id: plan.id,
  limits: plan.limits,
  env: Object.keys(plan.env).length === 0 ? null : plan.env,
  created_at: writeTime(plan.createdAt),
  updated_at: writeTime(plan.updatedAt),
})

export const writeKey = (key: ControlKey) => ({
  id: String(key.id),
  name: key.name ?? null,
  created_at: writeTime(key.createdAt),
  expires_at: key.expiresAt ? writeTime(key.expiresAt) : null,
})

export const writeEffective = ({ limits, env }: EffectiveValues) => ({
  limits: Object.fromEntries(limits),
  env: Object.fromEntries(env),
})
