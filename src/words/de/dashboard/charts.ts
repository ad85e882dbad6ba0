/** The charts of the overview. */
export const dashboardCharts = {
  chartTitle: 'Die letzten Tage',
  chartRange: 'Zeitraum der Diagramme',
  chartDay: 'Tag',
  chartUploads: 'Uploads',
  chartViews: 'Aufrufe',
  chartNumbers: 'Die Zahlen',
  chartHint: 'Pfeiltasten gehen durch die Tage.',
  chartViewsSince: 'Aufrufe werden nach Tagen gezählt seit',
  chartDays: (count: string) => `${count} Tage`,
}
