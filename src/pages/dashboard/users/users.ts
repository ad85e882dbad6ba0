import { listUserSummaries, type UserSort, userSorts } from '../../../media/index.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { pageNumberIn } from '../page-number.ts'
import { usersPage } from './users-page.ts'

const usersOfPage = 50

export const showUsers: PageHandler = async (call) => {
  const [page, sort] = [pageNumberIn(call), sortIn(call)]
  const prefix = call.query.get('q')?.trim() ?? ''
  const found = await listUserSummaries(call.site, userOf(call), {
    // PostgreSQL refuses a NUL in a text, and no name has one.
    prefix: prefix === '' ? undefined : prefix.replaceAll('\0', ' '),
    sort,
    offset: (page - 1) * usersOfPage,
    limit: usersOfPage + 1,
  })
  const [summaries, hasNext] = [found.slice(0, usersOfPage), found.length > usersOfPage]
  return { page: usersPage(call, { summaries, sort, page, hasNext }) }
}

const sortIn = ({ query }: PageCall): UserSort =>
  userSorts.find((each) => each === query.get('sort')) ?? 'joined'
