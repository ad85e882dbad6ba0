export { mostTerms, parseQuery, type QueryFault, readQuery, type SearchQuery } from './search-query.ts'
