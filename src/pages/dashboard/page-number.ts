import { badRequest } from '../../http/responses/errors.ts'
import type { PageCall } from '../page-call.ts'

const mostPages = 100_000

/** The page of a list that is paged by number, from `?page=`. */
export function pageNumberIn({ query }: PageCall): number {
  const text = query.get('page') ?? '1'
  const page = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (page < 1 || page > mostPages)
    throw badRequest(`page: must be a whole number from 1 to ${mostPages}, not "${text.slice(0, 20)}"`)
  return page
}
