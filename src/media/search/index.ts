export { parseQuery, readQuery, type SearchQuery } from './search-query.ts'
