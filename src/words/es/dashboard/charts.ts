/** The charts of the overview. */
export const dashboardCharts = {
  chartTitle: 'Los últimos días',
  chartRange: 'Periodo de los gráficos',
  chartDay: 'Día',
  chartUploads: 'Subidas',
  chartViews: 'Visitas',
  chartNumbers: 'Las cifras',
  chartHint: 'Las flechas recorren los días.',
  chartViewsSince: 'Las visitas se cuentan por día desde el',
  chartDays: (count: string) => `${count} días`,
}
