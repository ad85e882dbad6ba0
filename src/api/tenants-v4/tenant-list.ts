import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { type Fault, faultOf } from '../../lib/faults.ts'
import { invalidFields } from '../../lib/refusal.ts'
import { tenantListOf, tenantPage } from '../../tenants/index.ts'
import { sendLongJson } from './long-json.ts'
import { writeTenant } from './wire.ts'

const mostInPage = 1_000

export const limitFault: Fault = {
  ...faultOf('limit', 'numberRange', { least: 1, most: mostInPage }),
  in: 'query',
}

export const TenantListQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: mostInPage, description: 'At most this many; all without it' }),
  ),
  after: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: '^[A-Za-z0-9_-]*$',
      description: 'Only ids after this one; needs `limit`',
    }),
  ),
})

/** All tenants, or a page of them. */
export function sendTenantList(app: App) {
  const readAll = tenantListOf(app.control, (tenant) => `,${JSON.stringify(writeTenant(tenant))}`)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const page = readPage(request.query as Record<string, unknown>)
    if (page) return (await tenantPage(app.control, page)).map(writeTenant)
    return sendLongJson(reply, asArray(await readAll()))
  }
}

/** Every entry begins with a comma, so that none depends on the one before. */
function asArray([first, ...rest]: readonly Buffer[]): Buffer[] {
  return [openBracket, ...(first ? [first.subarray(1)] : []), ...rest, closeBracket]
}

const openBracket = Buffer.from('[')
const closeBracket = Buffer.from(']')

/** Undefined if no page is asked for. */
function readPage({ limit, after = '' }: Record<string, unknown>) {
  if (limit === undefined && after === '') return undefined
  const faults: Fault[] = []
  const count = /^\d{1,4}$/.test(String(limit)) ? Number(limit) : 0
  if (count < 1 || count > mostInPage) faults.push(limitFault)
  if (typeof after !== 'string' || !/^[\w-]{0,64}$/.test(after))
    faults.push({ ...faultOf('after', 'tenantOfList'), in: 'query' })
  if (faults.length > 0) throw invalidFields(faults, 'invalid-fields')
  return { limit: count, after: after as string }
}
