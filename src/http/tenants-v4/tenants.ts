import { Type } from 'typebox'
import { installTenant, resetUserPassword } from '../../tenants/index.ts'
import { createTenant, deleteTenant, editTenant, effectiveValues, readTenant } from '../../tenants/index.ts'
import type { Endpoint } from '../endpoint.ts'
import { idOf } from '../params.ts'
import { publicUrl } from '../public-url.ts'
import { bodyRefusals, noContent, refusals, signedRefusals } from './answers.ts'
import { installExample, newTenantExample, tenantExample } from './examples.ts'
import { sendTenantList } from './tenant-list.ts'
import {
  InstallBody,
  NewTenantBody,
  type NewTenantFields,
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
  summary: 'List tenants',
  access: 'signed',
  answers: {
    200: { description: 'All tenants, by id.', schema: Type.Array(TenantObject), example: [tenantExample] },
    ...signedRefusals,
  },
  handle: sendTenantList,
}

export const postTenant: Endpoint = {
  summary: 'Create a tenant',
  access: 'signed',
  body: NewTenantBody,
  bodyExample: newTenantExample,
  answers: {
    201: { description: 'The tenant; `Location` is its address.', schema: TenantObject, example: tenantExample },
    ...bodyRefusals,
    ...refusals(409),
  },
  handle: (app) => async (request, reply) => {
    const tenant = await createTenant(app.control, readNewTenant(request.checkedBody as NewTenantFields))
    return reply.code(201).header('location', `/_/api/4/tenants/${tenant.id}`).send(writeTenant(tenant))
  },
}

export const getTenant: Endpoint = {
  summary: 'Read a tenant',
  access: 'signed',
  answers: {
    200: { description: 'The tenant.', schema: TenantObject, example: tenantExample },
    ...signedRefusals,
    ...refusals(404),
  },
  handle: (app) => async (request) => writeTenant(await readTenant(app.control, idOf(request))),
}

export const patchTenant: Endpoint = {
  summary: 'Change a tenant',
  description: 'Fields that are left out stay. `limits` and `env` replace the whole map.',
  access: 'signed',
  body: TenantEditBody,
  bodyExample: { is_enabled: false, plan_id: '' },
  answers: { 204: noContent, ...bodyRefusals, ...refusals(404, 409) },
  handle: (app) => async (request, reply) => {
    await editTenant(app.control, idOf(request), readTenantEdit(request.checkedBody as TenantFields))
    return reply.code(204).send()
  },
}

export const deleteTenantEndpoint: Endpoint = {
  summary: 'Delete a tenant',
  description: 'The host stops at once. Tables and files stay for a tenant of the same id unless `drop_tables` is true.',
  access: 'signed',
  body: TenantDeleteBody,
  bodyExample: { drop_tables: true },
  answers: { 204: noContent, ...bodyRefusals, ...refusals(404) },
  handle: (app) => async (request, reply) => {
    const { drop_tables: dropTables } = request.checkedBody as { drop_tables?: boolean | null }
    await deleteTenant(app.control, idOf(request), { dropTables: dropTables ?? false })
    return reply.code(204).send()
  },
}

export const postInstall: Endpoint = {
  summary: 'Install a tenant',
  description: 'Makes the site with its first administrator. The upload key is told this once.',
  access: 'signed',
  body: InstallBody,
  bodyExample: installExample,
  answers: {
    201: {
      description: 'The site is up.',
      schema: Type.Object({
        id: Type.String(),
        hostname: Type.String(),
        url: Type.String(),
        admin: Type.Object({ username: Type.String(), email: Type.String() }),
        api_key: Type.String(),
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
    ...refusals(404, 409),
  },
  handle: (app) => async (request, reply) => {
    const account = request.checkedBody as { username: string; email: string; password: string }
    const { tenant, apiKey } = await installTenant(app.control, idOf(request), account)
    return reply.code(201).send({
      id: tenant.id,
      hostname: tenant.hostname,
      url: publicUrl(app.config, tenant.hostname),
      admin: { username: account.username, email: account.email },
      api_key: apiKey,
    })
  },
}

export const patchPassword: Endpoint = {
  summary: "Reset a user's password",
  description: "Ends the user's sessions. A random password is made when none is given.",
  access: 'signed',
  body: PasswordResetBody,
  bodyExample: { username: 'ada' },
  answers: {
    200: {
      description: 'The new password.',
      schema: Type.Object({ username: Type.String(), password: Type.String() }),
      example: { username: 'ada', password: 'correct horse battery' },
    },
    ...bodyRefusals,
    ...refusals(404),
  },
  handle: (app) => async (request) => {
    const { username, password } = request.checkedBody as { username: string; password?: string | null }
    return resetUserPassword(app.control, idOf(request), { username, password: password ?? undefined })
  },
}

const EffectiveMap = Type.Record(Type.String(), Type.Object({ value: Type.String(), level: Type.String() }))

export const getEffective: Endpoint = {
  summary: 'Read the values in force for a tenant',
  description: 'Each value with the level it came from, low to high: default, process, plan_limits, plan_env, tenant_limits, tenant_env, enforced.',
  access: 'signed',
  answers: {
    200: {
      description: 'The values in force.',
      schema: Type.Object({ limits: EffectiveMap, env: EffectiveMap }),
      example: {
        limits: { SERVICE_MAX_FILES: { value: '1000', level: 'tenant_limits' } },
        env: { SERVICE_ENABLE_SIGNUP: { value: '0', level: 'default' } },
      },
    },
    ...signedRefusals,
    ...refusals(404),
  },
  handle: (app) => async (request) => {
    const tenant = await readTenant(app.control, idOf(request))
    return writeEffective(await effectiveValues(app.control, tenant))
  },
}
