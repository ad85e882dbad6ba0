import { Type } from 'typebox'
import { idempotencyMismatch } from '../../accounts/index.ts'
import { publicUrl } from '../../http/addresses/public-url.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { notify } from '../../http/mails/send-mail.ts'
import { refused } from '../../http/openapi/described-refusal.ts'
import { answerControlOnce } from '../../http/requests/once/answer-control-once.ts'
import { invalidFields } from '../../lib/refusal.ts'
import {
  createTenant,
  deleteTenant,
  editTenant,
  effectiveValues,
  installTenant,
  readTenant,
  readTenantWithStats,
  resetUserPassword,
} from '../../tenants/index.ts'
import { installFaults, passwordFaults, tenantFaults } from './body-faults.ts'
import { installExample, newTenantExample, tenantExample } from './examples.ts'
import { bodyRefusals, conflict, noContent, noSuchTenant, signedRefusals } from './responses.ts'
import { limitFault, sendTenantList, TenantListQuery } from './tenant-list.ts'
import {
  InstallBody,
  idOf,
  NewTenantBody,
  type NewTenantFields,
  ofTenant,
  PasswordResetBody,
  readNewTenant,
  readTenantEdit,
  TenantDeleteBody,
  TenantEditBody,
  type TenantFields,
  TenantObject,
  writeEffective,
  writeTenant,
} from './wire.ts'

export const getTenants: Endpoint = {
  tag: 'Tenants',
  summary: 'List tenants',
  description: 'The whole list; with `limit` a page of it. The last id of a page is `after` of the next one.',
  access: 'signed',
  query: TenantListQuery,
  responses: {
    200: { description: 'The tenants, by id.', schema: Type.Array(TenantObject), example: [tenantExample] },
    ...signedRefusals,
    400: refused(
      'The query is not what is expected here; `error.list` names every fault.',
      invalidFields([limitFault], 'invalid-fields'),
    ),
  },
  handle: sendTenantList,
}

export const postTenant: Endpoint = {
  tag: 'Tenants',
  summary: 'Create a tenant',
  description:
    'Accepts an `Idempotency-Key` (1 to 255 visible ASCII characters): an equal request with it ' +
    'within 24 hours gets the same answer, ' +
    'with `Idempotency-Replayed: true`, and has no second effect.',
  access: 'signed',
  body: NewTenantBody,
  bodyExample: newTenantExample,
  bodyFaults: tenantFaults,
  responses: {
    201: {
      description: 'The tenant.',
      headers: { Location: 'The address of the tenant' },
      schema: TenantObject,
      example: tenantExample,
    },
    ...bodyRefusals,
    409: conflict(
      'The id or the hostname is taken, there is no such plan, or the first request with this ' +
        'Idempotency-Key still runs.',
      'There is already a tenant "cats".',
    ),
    422: refused('The Idempotency-Key was sent with another request.', idempotencyMismatch()),
  },
  handle: (app) => async (request, reply) => {
    const input = readNewTenant(request.checkedBody as NewTenantFields)
    const { answer, isReplayed } = await answerControlOnce(app, request, async (keep) =>
      writeTenant(
        await createTenant(request.control, input, keep && ((db, tenant) => keep(db, writeTenant(tenant)))),
      ),
    )
    if (isReplayed) reply.header('idempotency-replayed', 'true')
    return reply.code(201).header('location', `/_/api/4/tenants/${answer.id}`).send(answer)
  },
}

export const getTenant: Endpoint = {
  tag: 'Tenants',
  summary: 'Read a tenant',
  access: 'signed',
  params: ofTenant,
  responses: {
    200: { description: 'The tenant.', schema: TenantObject, example: tenantExample },
    ...signedRefusals,
    404: noSuchTenant,
  },
  handle: () => async (request, reply) => {
    const id = idOf(request)
    const text = await request.control.statsCache.read(`tenant as JSON ${id}`, async () =>
      JSON.stringify(writeTenant(await readTenantWithStats(request.control, id))),
    )
    return reply.header('content-type', 'application/json; charset=utf-8').send(text)
  },
}

export const patchTenant: Endpoint = {
  tag: 'Tenants',
  summary: 'Change a tenant',
  description:
    'Omitted fields keep their values. `limits` and `env` replace the whole map, and null empties it.',
  access: 'signed',
  params: ofTenant,
  body: TenantEditBody,
  bodyExample: { is_enabled: false, plan_id: '' },
  bodyFaults: tenantFaults,
  responses: {
    204: noContent,
    ...bodyRefusals,
    404: noSuchTenant,
    409: conflict('The hostname is taken, or there is no such plan.', 'There is no plan "small".'),
  },
  handle: () => async (request, reply) => {
    await editTenant(request.control, idOf(request), readTenantEdit(request.checkedBody as TenantFields))
    return reply.code(204).send()
  },
}

export const deleteTenantEndpoint: Endpoint = {
  tag: 'Tenants',
  summary: 'Delete a tenant',
  description:
    'The hostname is no longer served. Tables and files are kept for a tenant of the same id ' +
    'unless `drop_tables` is true.',
  access: 'signed',
  params: ofTenant,
  body: TenantDeleteBody,
  bodyExample: { drop_tables: true },
  responses: { 204: noContent, ...bodyRefusals, 404: noSuchTenant },
  handle: () => async (request, reply) => {
    const { drop_tables: dropTables } = request.checkedBody as { drop_tables?: boolean | null }
    await deleteTenant(request.control, idOf(request), { dropTables: dropTables ?? false })
    return reply.code(204).send()
  },
}

export const postInstall: Endpoint = {
  tag: 'Tenants',
  summary: 'Install a tenant',
  description: 'Creates the site with its first administrator.',
  access: 'signed',
  params: ofTenant,
  body: InstallBody,
  bodyExample: installExample,
  bodyFaults: installFaults,
  responses: {
    201: {
      description: 'The site is installed.',
      schema: Type.Object({
        id: Type.String({ description: 'The tenant’s id' }),
        hostname: Type.String({ description: 'The tenant’s hostname' }),
        url: Type.String({ description: 'The address of the site' }),
        admin: Type.Object({
          username: Type.String({ description: 'The administrator’s name' }),
          email: Type.String({ description: 'The administrator’s e-mail address' }),
        }),
        api_key: Type.String({ description: 'The administrator’s upload key, shown only once' }),
      }),
      example: {
        id: 'cats',
        hostname: 'cats.example.com',
        url: 'https://cats.example.com/',
        admin: { username: 'ada', email: 'ada@example.com' },
        api_key: 'trc_4kq1…_…',
      },
    },
    ...bodyRefusals,
    404: noSuchTenant,
    409: conflict('The tenant is already installed.', 'The tenant "cats" is already installed.'),
  },
  handle: (app) => async (request, reply) => {
    const account = request.checkedBody as { username: string; email: string; password: string }
    const { tenant, apiKey } = await installTenant(request.control, idOf(request), account)
    return reply.code(201).send({
      id: tenant.id,
      hostname: tenant.hostname,
      url: publicUrl(app.config, tenant.hostname, request.client.scheme),
      admin: { username: account.username, email: account.email },
      api_key: apiKey,
    })
  },
}

export const patchPassword: Endpoint = {
  tag: 'Tenants',
  summary: 'Reset a user’s password',
  description: 'Ends the user’s sessions. Without a password a random one is generated.',
  access: 'signed',
  params: ofTenant,
  body: PasswordResetBody,
  bodyExample: { username: 'ada' },
  bodyFaults: passwordFaults,
  responses: {
    200: {
      description: 'The new password.',
      schema: Type.Object({
        username: Type.String({ description: 'The user’s name' }),
        password: Type.String({ description: 'The new password' }),
      }),
      example: { username: 'ada', password: 'correct horse battery' },
    },
    ...bodyRefusals,
    404: { ...noSuchTenant, description: 'There is no such tenant, or it has no such user.' },
  },
  handle: (app) => async (request) => {
    const { username, password } = request.checkedBody as { username: string; password?: string | null }
    const input = { username, password: password ?? undefined }
    return resetUserPassword(request.control, idOf(request), input, (site, userId) =>
      notify({ app, site, request }, { userId, notice: 'password-changed' }),
    )
  },
}

const EffectiveMap = (description: string) =>
  Type.Record(
    Type.String(),
    Type.Object({
      value: Type.String({ description: 'The effective value' }),
      level: Type.String({ description: 'Where it was set' }),
    }),
    { description },
  )

export const getEffective: Endpoint = {
  tag: 'Tenants',
  summary: 'Read the effective values of a tenant',
  description:
    'Each value with the level that set it. Low to high: `default`, `process`, `plan_limits`, `plan_env`, ' +
    '`tenant_limits`, `tenant_env`, `enforced`.',
  access: 'signed',
  params: ofTenant,
  responses: {
    200: {
      description: 'The effective values.',
      schema: Type.Object({
        limits: EffectiveMap('Limits by name'),
        env: EffectiveMap('Environment by name'),
      }),
      example: {
        limits: { SERVICE_MAX_FILES: { value: '1000', level: 'tenant_limits' } },
        env: { SERVICE_ENABLE_SIGNUP: { value: '0', level: 'default' } },
      },
    },
    ...signedRefusals,
    404: noSuchTenant,
  },
  handle: () => async (request) => {
    const tenant = await readTenant(request.control, idOf(request))
    return writeEffective(await effectiveValues(request.control, tenant))
  },
}
