/** The frame of the dashboard and its overview. */
export const dashboardFrame = {
  dashboard: 'Panel',
  overview: 'Resumen',
  storage: 'Almacenamiento',
  users: 'Usuarios',
  newestFiles: 'Archivos más recientes',
  noFilesOnSite: 'Aquí aparece cada imagen y vídeo que se sube a este sitio.',
  filesWait: {
    one: (count: string) => `${count} archivo espera aprobación`,
    other: (count: string) => `${count} archivos esperan aprobación`,
  },
  atLeast: (text: string) => `Al menos ${text}`,
}
