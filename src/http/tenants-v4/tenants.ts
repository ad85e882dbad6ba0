import { Type } from 'typebox'
import {
  createTenant,
  deleteTenant,
  editTenant,
  effectiveValues,
  installTenant,
  readTenant,
  readToldTenant,
  resetUserPassword,
} from '../../tenants/index.ts'
import type { Endpoint } from '../endpoint.ts'
import { idOf } from '../params.ts'
import { publicUrl } from '../public-url.ts'
import { bodyRefusals, conflict, noContent, noSuchTenant, signedRefusals } from './answers.ts'
import { installFaults, passwordFaults, tenantFaults } from './body-faults.ts'
import { installExample, newTenantExample, tenantExample } from './examples.ts'
import { sendTenantList } from './tenant-list.ts'
import {
  InstallBody,
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
  access: 'signed',
  answers: {
    200: { description: 'All tenants, by id.', schema: Type.Array(TenantObject), example: [tenantExample] },
    ...signedRefusals,
  },
  handle: sendTenantList,
}

export const postTenant: Endpoint = {
  tag: 'Tenants',
  summary: 'Create a tenant',
  access: 'signed',
  body: NewTenantBody,
  bodyExample: newTenantExample,
  bodyFaults: tenantFaults,
  answers: {
    201: {
      description: 'The tenant.',
      headers: { Location: 'The address of the tenant' },
      schema: TenantObject,
      example: tenantExample,
    },
    ...bodyRefusals,
    409: conflict(
      'The id or the hostname is taken, or there is no such plan.',
      'There is already a tenant "cats".',
    ),
  },
  handle: (app) => async (request, reply) => {
    const tenant = await createTenant(app.control, readNewTenant(request.checkedBody as NewTenantFields))
    return reply.code(201).header('location', `/_/api/4/tenants/${tenant.id}`).send(writeTenant(tenant))
  },
}

export const getTenant: Endpoint = {
  tag: 'Tenants',
  summary: 'Read a tenant',
  access: 'signed',
  params: ofTenant,
  answers: {
    200: { description: 'The tenant.', schema: TenantObject, example: tenantExample },
    ...signedRefusals,
    404: noSuchTenant,
  },
  handle: (app) => async (request, reply) => {
    const id = idOf(request)
    const text = await app.control.toldMemory.recall(`tenant as JSON ${id}`, async () =>
      JSON.stringify(writeTenant(await readToldTenant(app.control, id))),
    )
    return reply.header('content-type', 'application/json; charset=utf-8').send(text)
  },
}

export const patchTenant: Endpoint = {
  tag: 'Tenants',
  summary: 'Change a tenant',
  description:
    'Fields that are left out stay. `limits` and `env` replace the whole map, and null empties it.',
  access: 'signed',
  params: ofTenant,
  body: TenantEditBody,
  bodyExample: { is_enabled: false, plan_id: '' },
  bodyFaults: tenantFaults,
  answers: {
    204: noContent,
    ...bodyRefusals,
    404: noSuchTenant,
    409: conflict('The hostname is taken, or there is no such plan.', 'There is no plan "small".'),
  },
  handle: (app) => async (request, reply) => {
    await editTenant(app.control, idOf(request), readTenantEdit(request.checkedBody as TenantFields))
    return reply.code(204).send()
  },
}

export const deleteTenantEndpoint: Endpoint = {
  tag: 'Tenants',
  summary: 'Delete a tenant',
  description:
    'The host stops at once. Tables and files stay for a tenant of the same id unless `drop_tables` is true.',
  access: 'signed',
  params: ofTenant,
  body: TenantDeleteBody,
  bodyExample: { drop_tables: true },
  answers: { 204: noContent, ...bodyRefusals, 404: noSuchTenant },
  handle: (app) => async (request, reply) => {
    const { drop_tables: dropTables } = request.checkedBody as { drop_tables?: boolean | null }
    await deleteTenant(app.control, idOf(request), { dropTables: dropTables ?? false })
    return reply.code(204).send()
  },
}

export const postInstall: Endpoint = {
  tag: 'Tenants',
  summary: 'Install a tenant',
  description: 'Makes the site with its first administrator.',
  access: 'signed',
  params: ofTenant,
  body: InstallBody,
  bodyExample: installExample,
  bodyFaults: installFaults,
  answers: {
    201: {
      description: 'The site is up.',
      schema: Type.Object({
        id: Type.String({ description: 'The tenant’s id' }),
        hostname: Type.String({ description: 'The tenant’s hostname' }),
        url: Type.String({ description: 'The address of the site' }),
        admin: Type.Object({
          username: Type.String({ description: 'The administrator’s name' }),
          email: Type.String({ description: 'The administrator’s e-mail address' }),
        }),
        api_key: Type.String({ description: 'The administrator’s upload key, told this once' }),
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
  tag: 'Tenants',
  summary: 'Reset a user’s password',
  description: 'Ends the user’s sessions. A random password is made when none is given.',
  access: 'signed',
  params: ofTenant,
  body: PasswordResetBody,
  bodyExample: { username: 'ada' },
  bodyFaults: passwordFaults,
  answers: {
    200: {
      description: 'The new password.',
      schema: Type.Object({
        username: Type.String({ description: 'The user’s name' }),
        password: Type.String({ description: 'The password in force from now on' }),
      }),
      example: { username: 'ada', password: 'correct horse battery' },
    },
    ...bodyRefusals,
    404: { ...noSuchTenant, description: 'There is no such tenant, or it has no such user.' },
  },
  handle: (app) => async (request) => {
    const { username, password } = request.checkedBody as { username: string; password?: string | null }
    return resetUserPassword(app.control, idOf(request), { username, password: password ?? undefined })
  },
}

const EffectiveMap = (description: string) =>
  Type.Record(
    Type.String(),
    Type.Object({
      value: Type.String({ description: 'The value in force' }),
      level: Type.String({ description: 'Where it was set' }),
    }),
    { description },
  )

export const getEffective: Endpoint = {
  tag: 'Tenants',
  summary: 'Read the values in force for a tenant',
  description:
    'Each value with the level that it came from. Low to high: `default`, `process`, `plan_limits`, `plan_env`, ' +
    '`tenant_limits`, `tenant_env`, `enforced`.',
  access: 'signed',
  params: ofTenant,
  answers: {
    200: {
      description: 'The values in force.',
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
  handle: (app) => async (request) => {
    const tenant = await readTenant(app.control, idOf(request))
    return writeEffective(await effectiveValues(app.control, tenant))
  },
}
