import { badRequest } from '../../http/responses/errors.ts'
import {
  type TenantFilter,
  type TenantOrder,
  type TenantSort,
  type TenantState,
  tenantStates,
} from '../../tenants/index.ts'
import { consolePath } from '../console-call.ts'

/** What the address of the list asks for. */
export interface TenantQuery {
  filter: TenantFilter
  order: TenantOrder
  page: number
}

const longestText = 200
const mostPages = 100_000

/** The names of the orders in addresses. */
const sorts: Readonly<Record<string, TenantSort>> = {
  id: 'id',
  hostname: 'hostname',
  plan: 'plan',
  files: 'files',
  storage: 'storage',
  last_job: 'lastJob',
  created: 'created',
}

export const sortNames = new Map(Object.entries(sorts).map(([name, sort]) => [sort, name]))

export const readTenantQuery = (query: URLSearchParams): TenantQuery => ({
  filter: readTenantFilter(query),
  order: orderIn(query.get('sort') ?? 'id'),
  page: pageIn(query.get('page') ?? '1'),
})

/** In addresses and in the form that changes many. */
export const readTenantFilter = (query: URLSearchParams): TenantFilter => ({
  text: textIn(query.get('q')?.trim() ?? ''),
  state: stateIn(query.get('state') ?? ''),
  planId: query.get('plan') || undefined,
})

function textIn(text: string): string {
  if (text.length > longestText)
    throw badRequest(`q: must have at most ${longestText} characters, not ${text.length}`)
  return text
}

function stateIn(text: string): TenantState | undefined {
  const state = tenantStates.find((each) => each === text)
  if (!state && text !== '') throw notOneOf('state', tenantStates, text)
  return state
}

function orderIn(text: string): TenantOrder {
  const isDescending = text.startsWith('-')
  const name = isDescending ? text.slice(1) : text
  const sort = Object.hasOwn(sorts, name) ? sorts[name] : undefined
  if (!sort) throw notOneOf('sort', Object.keys(sorts), text)
  return { sort, isDescending }
}

const notOneOf = (name: string, values: readonly string[], text: string) =>
  badRequest(`${name}: must be one of ${values.join(', ')}, not "${text.slice(0, 40)}"`)

export function pageIn(text: string): number {
  const page = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (page < 1 || page > mostPages)
    throw badRequest(`page: must be a whole number from 1 to ${mostPages}, not "${text.slice(0, 20)}"`)
  return page
}

/** The order in an address; undefined for the usual one. */
export const sortText = ({ sort, isDescending }: TenantOrder): string | undefined =>
  sort === 'id' && !isDescending ? undefined : `${isDescending ? '-' : ''}${sortNames.get(sort)}`

/** The fields of an address with this query, without those that are as usual. */
export function fieldsOf({ filter, order, page }: TenantQuery): [name: string, value: string][] {
  const fields = {
    q: filter.text,
    state: filter.state,
    plan: filter.planId,
    sort: sortText(order),
    page: page === 1 ? undefined : String(page),
  }
  return Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1]))
}

/** The address of the list, or of another form of it, with some of the query changed. */
export function listAddress(
  query: TenantQuery,
  changes: Partial<TenantQuery> = {},
  path = 'tenants',
): string {
  const fields = new URLSearchParams(fieldsOf({ ...query, page: 1, ...changes }))
  return fields.size === 0 ? consolePath(path) : `${consolePath(path)}?${fields}`
}
