export { listPeople, readPerson } from '../people.ts'
export { type Person, type PersonSort, personSorts } from '../people-table.ts'
