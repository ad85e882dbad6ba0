/** The charts of the overview. */
export const dashboardCharts = {
  chartTitle: 'The last days',
  chartRange: 'Range of the charts',
  chartDay: 'Day',
  chartUploads: 'Uploads',
  chartViews: 'Views',
  chartNumbers: 'The numbers',
  chartHint: 'Arrow keys go through the days.',
  chartViewsSince: 'Views are counted by day since',
  chartDays: (count: string) => `${count} days`,
}
