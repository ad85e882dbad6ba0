/** The frame of the dashboard and its overview. */
export const dashboardFrame = {
  dashboard: 'Dashboard',
  overview: 'Overview',
  storage: 'Storage',
  users: 'Users',
  newestFiles: 'Newest files',
  noFilesOnSite: 'Every picture and video that is uploaded to this site appears here.',
  filesWait: {
    one: (count: string) => `${count} file waits for approval`,
    other: (count: string) => `${count} files wait for approval`,
  },
  atLeast: (text: string) => `At least ${text}`,
}
