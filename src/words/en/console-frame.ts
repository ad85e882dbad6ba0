/** The frame of the console, its log-in, operators and their own accounts. */
export const consoleFrame = {
  consoleName: 'Terrace console',
  consoleOverview: 'Overview',
  consoleTenants: 'Tenants',
  consolePlans: 'Plans',
  consoleMoves: 'Moves',
  consoleJobs: 'Jobs',
  consoleHealth: 'Health',
  consoleBackups: 'Backups',
  consoleKeys: 'Management keys',
  consoleOperators: 'Operators',
  consoleAudit: 'Audit',
  consoleToOverview: 'Go to the overview',
  consoleFind: 'Find a tenant',
  consoleFound: 'Tenants',
}
