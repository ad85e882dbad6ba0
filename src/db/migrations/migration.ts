/** One step of the tables' history, written for each store. Each runs in one transaction. */
export interface Migration {
  name: string
  sqlite: string
  postgres: string
}
